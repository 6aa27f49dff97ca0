/* Where time 0 of a trace is, for traces whose beginning is known only when all sources have been there: a
 * program that is recorded late, or that is reached last, may have begun first.
 *
 * While such a trace is filled, its times are those of some clock that has room before the recording. Each source
 * says when it begins, and the earliest of these times is the origin. td_trace_finish() moves all times, so that
 * the origin is 0. Until then readers subtract td_trace_origin(); a copy (copy.h) has done so. A trace without
 * these calls is as it was filled. */
#pragma once
#include "host/trace/trace.h"

/* What is earlier than the begin of its source by more than this makes no sense, and moves no origin. */
#define TD_TRACE_EARLY_NS (12 * INT64_C(3600000000000))

/* The origin, until a source is known. */
void td_trace_expect_origin(struct td_trace *trace, int64_t time_ns);
/* A source begins at this time: nothing of it so far is earlier. From the filling thread, before the event that is
 * the earliest. */
void td_trace_begins(struct td_trace *trace, int64_t time_ns);
/* The functions below are thread-safe. The earliest time so far; 0: times are as they are, or moved. */
int64_t td_trace_origin(const struct td_trace *trace);
/* False: td_trace_origin() is only expected. */
bool td_trace_has_begun(const struct td_trace *trace);
/* By how much td_trace_finish() has moved the times; 0 before. */
int64_t td_trace_moved(const struct td_trace *trace);
