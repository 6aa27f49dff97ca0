/* What a trace notes about the clock of a chip (TD_NOTE_CHIP_CLOCK), as one line:
 *
 *   chip 0 wormhole_b0 1000.000000 MHz 64 cores, time 0 is cycle 2170879416472
 *
 * Device times of a trace are ns. With this line they are cycles of the chip again. 0 cores: not known. */
#pragma once
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct td_chip_clock {
    uint32_t chip;
    char arch[32]; /* without spaces; "unknown" if it is not known */
    double mhz;
    uint32_t worker_cores; /* available to programs; 0: not known */
    int64_t zero_cycle;    /* the chip's clock at time 0 of the trace; 0 if it is not known */
};

/* Returns what snprintf() returns. The fraction has 6 digits in any locale. */
static inline int td_chip_clock_text(char *text, size_t room, const struct td_chip_clock *c)
{
    const uint64_t millionths = c->mhz > 0 && c->mhz < 1e9 ? (uint64_t)(c->mhz * 1e6 + 0.5) : 0;
    return snprintf(text, room,
                    "chip %" PRIu32 " %s %" PRIu64 ".%06" PRIu64 " MHz %" PRIu32
                    " cores, time 0 is cycle %" PRId64,
                    c->chip, c->arch[0] ? c->arch : "unknown", millionths / 1000000, millionths % 1000000,
                    c->worker_cores, c->zero_cycle);
}

/* False: the text has another form. */
static inline bool td_chip_clock_read(const char *text, struct td_chip_clock *c)
{
    unsigned long long whole, millionths;
    long long cycle;
    unsigned chip, cores;
    if (sscanf(text, "chip %9u %31s %9llu.%6llu MHz %9u cores, time 0 is cycle %19lld", &chip, c->arch,
               &whole, &millionths, &cores, &cycle) != 6)
        return false;
    c->chip = chip;
    c->mhz = (double)whole + (double)millionths / 1e6;
    c->worker_cores = cores;
    c->zero_cycle = cycle;
    return true;
}
