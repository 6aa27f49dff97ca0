/* A trace without the cost of its kernels' markers.
 *
 * A zone of a core contains the markers of the zones inside it, of its messages and of its plots' points,
 * and the time in which the core waited for room in its lane. The copy's zones are shorter by that: by the
 * mean cost of a marker of that kind on that core (TD_NOTE_BILL), for each one inside. What a zone's own
 * marker takes within the zone stays: a few instructions. Begins stay where they were, so inner zones may
 * end after the zone around them: the copy is for statistics, not for drawing. */
#pragma once
#include "host/base/err.h"
#include "host/trace/trace.h"

/* A finished copy of a finished trace, within as much memory as td_trace_create_within(). NULL: no memory,
 * or the trace does not say what its markers cost. */
struct td_trace *td_trace_compensate(const struct td_trace *trace, uint64_t memory_bytes, struct td_err *err);
