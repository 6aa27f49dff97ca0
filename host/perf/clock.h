/* Converts the kernel's times of perf records (CLOCK_MONOTONIC_RAW, ns) to td_host_ticks(). For one thread. */
#pragma once
#include <stdint.h>

struct td_perf_clock {
    uint64_t first_ticks, ticks; /* the pairs of the first look and of the last one */
    int64_t first_ns, ns;
    double ticks_per_ns;
};
/* Compares both clocks. The first call is before the first record; later calls keep the error of times near the
 * last call below 100 ns. */
void td_perf_clock_look(struct td_perf_clock *clock);
int64_t td_perf_clock_ticks(const struct td_perf_clock *clock, int64_t ns);
