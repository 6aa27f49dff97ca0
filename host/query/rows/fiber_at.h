/* Which fiber a thread runs at a time: events that carry a thread (allocations) belong to the zones of that fiber. */
#pragma once
#include "host/query/rows/fiber_runs.h"

/* The track of the fiber that the thread runs at that time, or of the thread that the fiber runs on; `track` itself:
 * there is none. */
uint32_t td_fiber_at(const struct td_fiber_runs *runs, uint32_t track, int64_t time_ns);
