/* Forgetting: a trace that is being filled may keep only what is not older than some time, so that a recording
 * that runs for days needs the memory of its last seconds. Rows are forgotten from the front of each series, in
 * whole chunks, so what is a little older stays as well. The other rows keep their numbers.
 *
 *   td_trace_create_within(); td_trace_may_forget(); fill ... td_trace_forget() ... fill ...
 *
 * Forgotten are zones, and rows of tables with a time: messages, plot points, frames, lock events, memory
 * allocations, samples, context switches, hardware samples; texts of zones and images of frames with them; and
 * strings of the dictionary that passed (host/event/dict.h) and that no row names any more. Names, call stacks,
 * symbols, locks and pools stay.
 *
 * What readers find: td_series_first() is the first row of a series that is kept. A forgotten zone reads as a
 * zone of no length at the end of what is forgotten, without name; a forgotten row as described in series.h.
 * Walks begin at the first zones that are kept.
 *
 * Threads: the filling thread forgets. A reader on another thread holds a pin while it reads, and releases it
 * within seconds: the memory of what is forgotten meanwhile is not used again before. */
#pragma once
#include "host/trace/trace.h"

/* Prepares a trace without content, and its dictionary. 0 or TD_E_NOMEM. */
int td_trace_may_forget(struct td_trace *trace);
/* Forgets what ended before `before_ns`; from the filling thread. Does nothing in a trace that is not prepared
 * or that is finished. */
void td_trace_forget(struct td_trace *trace, int64_t before_ns);
/* The latest time of an event so far; from the filling thread. */
int64_t td_trace_newest(const struct td_trace *trace);

/* Lets a thread read until td_trace_unpin() with the value that is returned. Thread-safe. */
unsigned td_trace_pin(struct td_trace *trace);
void td_trace_unpin(struct td_trace *trace, unsigned pin);

/* Bytes that packed rows and blobs take, in memory and in files. Thread-safe. */
uint64_t td_trace_row_bytes(const struct td_trace *trace);
/* The data in a trace that is being filled, in bytes as they are packed: it grows as the trace's file does.
 * From the filling thread. */
uint64_t td_trace_weight(const struct td_trace *trace);
