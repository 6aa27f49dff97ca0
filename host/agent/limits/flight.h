/* Flight recorder: keeps only the last seconds of a recording, until something interesting has happened. Then
 * the seconds before it are cut out of the model:
 *
 *   without triggers   when the recording ends
 *   with triggers      at the first one, which ends the recording; or, with `rotate`, at each one, into a file
 *                      of its own, while the recording continues
 *
 * A cut is made a moment after its last time, so that events of other threads and cores arrive. With `rotate`
 * a thread makes the cut and writes its file. Meanwhile nothing is forgotten, and further triggers wait for one
 * next file: what they want to see is in it, too, so nothing is lost while a file is being written.
 *
 * Not thread-safe: belongs to the thread that fills the model. */
#pragma once
#include "host/agent/limits/cut.h"
#include "host/agent/limits/triggers.h"

/* What a command does with traces that are cut out. Called from threads, one at a time; `cut` is not finished,
 * and belongs to the caller. */
struct td_cut_files {
    void *self;
    /* Finishes the cut and writes it to the next file; `why`: the trigger. 0 or a negative enum td_e. */
    int (*save)(void *self, struct td_trace *cut, const char *why, struct td_err *err);
    /* Finishes the sample, if it is not, and returns the size of its file, or a negative enum td_e. */
    int64_t (*measure)(void *self, struct td_trace *sample, struct td_err *err);
};

struct td_flight_options {
    int64_t keep_ns;  /* 0: keep everything */
    int64_t after_ns; /* how long the recording continues after a trigger */
    int64_t late_ns;  /* how long after its time an event may arrive; at least 0.3 s is assumed */
    /* The trace's time now; NULL: that of its latest event. */
    int64_t (*now)(const void *self);
    const void *now_self;
    bool rotate;
    uint64_t memory_bytes; /* of a cut */
    struct td_cut_files files;
};

struct td_flight;
/* `triggers` may be NULL. Both are the caller's. With keep_ns, the trace was prepared by
 * td_trace_may_forget(). NULL: no memory. */
struct td_flight *td_flight_create(const struct td_flight_options *options, struct td_trace *trace,
                                   struct td_triggers *triggers);
/* Waits for the thread that writes. NULL is allowed. */
void td_flight_destroy(struct td_flight *flight);
/* To be called often: forgets, looks at the triggers, starts cuts. True: a trigger ends the recording. */
bool td_flight_look(struct td_flight *flight);
/* Waits until no cut is being made (of those that started), so that facts of the trace may be changed. */
void td_flight_settle(struct td_flight *flight);
/* After the last event: with `rotate`, finishes the trace and writes the file that waits; `lost`: not NULL: why the program or board
 * was lost, which is written, too. Without `rotate`, only waits. Returns 0, or the first error of all files. */
int td_flight_end(struct td_flight *flight, const char *lost, struct td_err *err);
/* Without `rotate`: what is to be written: until the trigger, or the latest event. */
struct td_cut td_flight_last_cut(const struct td_flight *flight);
/* A line on what happened: "3 triggers, 2 files"; "": nothing to report. */
void td_flight_tell(const struct td_flight *flight, char *line, size_t bytes);
