/* Copies models into a model that is being filled: for merging traces, for cutting a range of time out of
 * one, and for moving one to another clock.
 *
 *   struct td_copier *copier = td_copier_create(to, err);
 *   td_copier_add(copier, from, &options, err);      once for each source
 *   td_copier_end(copier, err);                      facts about all sources together
 *   td_copier_destroy(copier);
 *   td_trace_finish(to, err);
 *
 * Zones keep their nesting. Numbers of the dictionary and of rows become those of `to`. Rows pass in blocks:
 * besides both models, a copy takes memory for the dictionary only, 4 bytes an entry. Its time is linear.
 *
 * A source without a label is copied as it is, and must be the only one: the result has the same contents.
 * A source with a label is a process next to others (tracks "LABEL: thread", plots and frame sets
 * "name (LABEL)", ...), and nothing of it is mixed with the same number of another source:
 *   threads    an id that another source has becomes id + (n << 40); 0 stays 0
 *   cores      a source with a chip number that another source has gets other chip numbers; the note
 *              TD_NOTE_CHIP has the source's. Names of tracks and plots follow, and the notes about clocks
 *              and maps of chips. These notes of chips without cores in the source are left out.
 *   addresses  of code (frames, symbols, code, hardware samples): bits 48 to 59 number the address space.
 *              At most 4096 spaces; most sources have two: program and kernel.
 *   memory     pools are separate; the default one becomes "memory (LABEL)"
 *   processors their numbers, and those of packages, follow those of the sources before
 *   locks, contexts of GPUs, trace sections, parameters: new numbers
 *   flows      "flow in NAME #N" in texts of zones becomes "flow in NAME #N LABEL"
 * An empty label is for a source that is itself a merge: all the same, but names and texts stay, and
 * the base frames, which only files need, are left out.
 *
 * Source locations are shared: the n-th of several equal ones of a source is the n-th of each other source.
 *
 * `from` may be finished, or may still be filled by this or by another thread; then the copy has what a
 * reader sees: no zones that wait for td_trace_finish(), no texts of zones that are open; its times begin at
 * the origin (origin.h). Its tables need not be sorted yet. `to` must be empty at first and is filled by no other code before td_copier_end(). No
 * other thread reads it during td_copier_add().
 *
 * A copier belongs to one thread. After a failure the contents of `to` are incomplete. */
#pragma once
#include "host/base/err.h"
#include "host/trace/trace.h"
#include <math.h>

/* A line between two clocks: a time t becomes t + offset_ns + drift * (t - at_ns). All zero: t. The drift is
 * more than -0.5. */
struct td_time_line {
    int64_t at_ns, offset_ns;
    double drift;
};

/* The line through two points; equal times: a line without drift. */
struct td_time_line td_time_line_through(int64_t from_a_ns, int64_t to_a_ns, int64_t from_b_ns,
                                         int64_t to_b_ns);
/* Never decreases with `time_ns`. Times out of range are cut to it. */
static inline int64_t td_time_line_at(const struct td_time_line *line, int64_t time_ns)
{
    int64_t shift = line->offset_ns, sum;
    if (line->drift != 0)
        shift += (int64_t)llround((double)(time_ns - line->at_ns) * line->drift);
    return __builtin_add_overflow(time_ns, shift, &sum) ? (shift > 0 ? TD_OPEN - 1 : INT64_MIN + 1) : sum;
}

struct td_copy_options { /* all zero: everything, as it is */
    struct td_time_line clock;
    /* Copies what overlaps from_ns .. until_ns (in times of the source; both 0: everything): zones,
     * messages, points, frames, ... A lock's events begin earlier, where no thread has the lock or waits for
     * it. Call stacks, symbols, code and source files are copied whole. */
    int64_t from_ns, until_ns;
    /* By track of the source: 0: it is left out, with its zones, messages and samples. NULL: none is. */
    const uint8_t *tracks;
    int clip;          /* 1: what begins before from_ns is cut there, and what ends after until_ns, too */
    const char *label; /* the name of the source's process; unique; "", NULL: see above */
    unsigned threads;  /* for zones; 0: one for each processor */
    /* Gives a finished zone of the source another length, from any thread; NULL: its own. Not with a range or a
     * clock. */
    int64_t (*length)(const void *self, uint32_t track, uint32_t row, uint64_t zone, int64_t start_ns,
                      int64_t length_ns);
    const void *length_self;
};

struct td_copier;
/* NULL: no memory, or `to` is not empty. */
struct td_copier *td_copier_create(struct td_trace *to, struct td_err *err);
void td_copier_destroy(struct td_copier *copier); /* NULL is allowed */
/* Returns 0; TD_E_NOMEM; TD_E_LIMIT: too many address spaces; TD_E_USAGE: another source without a label. */
int td_copier_add(struct td_copier *copier, const struct td_trace *from,
                  const struct td_copy_options *options, struct td_err *err);
/* Adds what is known when all sources are there: the sums of their notes, the first crash (others become
 * messages), the names of the programs. Returns 0 or TD_E_NOMEM. */
int td_copier_end(struct td_copier *copier, struct td_err *err);
/* A line on what the model cannot hold of the sources; "": it holds everything. */
const char *td_copier_notice(const struct td_copier *copier);
