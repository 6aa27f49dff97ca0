/* The clock of a chip in an import of tt-metal's files. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct td_tt_chip {
    uint32_t number;
    double mhz; /* 0: not known yet */
    char arch[32];
    uint32_t worker_cores; /* 0: not known */
    bool is_related;       /* its zero is the host's */
    bool has_zero;
    int64_t zero_cycle;
    int64_t first_cycle, last_cycle; /* of all items; INT64_MAX and INT64_MIN: none yet */
};

/* The time of a cycle: (cycle - zero_cycle) / mhz, rounded; 0 for cycles before. The chip's zero must be
 * known. */
int64_t td_tt_chip_ns(const struct td_tt_chip *chip, int64_t cycle);
