/* Zones that got a name or a text of their own at run time. Statistics are by source location, whose zones may have
 * any number of names; this is for what goes by names or texts. */
#pragma once
#include "host/trace/trace.h"

struct td_own_zone {
    uint32_t track, srcloc;
    uint32_t name, text;                  /* 0: none; a name that is its location's is none */
    int64_t start_ns, length_ns, self_ns; /* self: without the time of direct children */
};

/* Calls `take` for each such finished zone, track by track, outside of GPU contexts. Returns 0, or what `take` returned instead of 0. */
int td_trace_each_own_zone(const struct td_trace *trace,
                           int (*take)(void *self, const struct td_own_zone *zone), void *self);
