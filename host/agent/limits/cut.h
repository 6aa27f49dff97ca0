/* A cut: a trace of its own with what a trace has between two times. */
#pragma once
#include "host/trace/trace.h"

struct td_cut {
    int64_t from_ns,
        until_ns;    /* both included; zones that overlap are whole. from INT64_MIN: the beginning */
    const char *why; /* for the note; "": none */
};

/* For a trace whose times were moved (host/trace/origin.h) after the cut's were chosen. */
void td_cut_move(struct td_cut *cut, int64_t moved_ns);
/* Copies what overlaps the times into a new trace, *to, that is not finished; the caller destroys it, also
 * after an error. `from` is finished, or still filled by this or another thread. `memory_bytes`: as of
 * td_trace_create_within(). */
int td_cut_make(const struct td_trace *from, const struct td_cut *cut, uint64_t memory_bytes,
                struct td_trace **to, struct td_err *err);
/* The latest time, up to `last_ns`, until which a trace has at most this part (0 to 1) of its zones and rows. It
 * is not exact while the trace is being filled. */
int64_t td_cut_time_of_part(const struct td_trace *trace, int64_t last_ns, double part);
