/* Where a moment of a thread is. */
#pragma once
#include "host/trace/trace.h"
#include "host/query/sums/marks.h"

/* The innermost zone of the track at that time; TD_NO_ZONE: there is none. */
struct td_zone_ref td_zone_at(const struct td_trace *trace, uint32_t track, int64_t time_ns);
