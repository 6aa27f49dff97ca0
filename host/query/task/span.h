/* The time from the first to the last zone, message and point of a plot. */
#pragma once
#include "host/trace/trace.h"

/* From 0 to 1 ns of a trace that has none; *last_ns > *first_ns. */
void td_trace_span(const struct td_trace *trace, int64_t *first_ns, int64_t *last_ns);
