/* The zones of a track, counted without reading all of them. */
#pragma once
#include "host/trace/trace.h"

struct td_track_sum {
    uint64_t zones, open;
    int64_t first_ns, last_ns; /* first start and last end of its zones; first > last: no zones */
    int64_t busy_ns;           /* total time of the finished outermost zones */
};
struct td_track_sum td_track_sum_of(const struct td_trace *trace, uint32_t track);

struct td_track_totals {
    uint64_t threads, cores, gpu_rows;
    uint64_t zones, open, gpu_zones, gpu_open;
};
struct td_track_totals td_track_totals_of(const struct td_trace *trace);
