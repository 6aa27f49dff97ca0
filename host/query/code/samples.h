/* Samples of call stacks, chosen and counted. All sums of this folder start from counts by call stack:
 *
 *   struct td_samples_choice choice = {.from_ns = a, .to_ns = b};   all zero: all samples of running threads
 *   struct td_stack_counts counts;
 *   td_stack_counts_make(trace, &choice, NULL, &counts, &err);
 *   td_symbol_sums_make(trace, &counts, ...);    symbol_sums.h: functions, self and total
 *   td_line_sums_make(trace, &counts, ...);      line_sums.h: lines of a source file
 *   td_code_make(trace, &counts, ...);           code.h: instructions of a function
 *   td_call_tree_make(trace, &counts, ...);      call_tree.h: callers of a function (entries), or called ones
 *   td_wait_stacks_make(trace, &choice, ...);    wait_stacks.h: where threads waited, how often and how long
 *   td_source_text_open(trace, ...);             source_text.h: the text of a source file
 *
 * The cost is one pass over the chosen samples, then one over the different stacks. All functions may be called
 * from any thread, also while the trace grows: they see the samples that exist then. A struct td_progress
 * (may be NULL) is asked every few milliseconds, and stops the work with TD_E_STOPPED. Results belong to the
 * caller, who frees them also after a failure; all zero is an empty result. */
#pragma once
#include "host/base/err.h"
#include "host/base/progress.h"
#include "host/trace/trace.h"

#include <stdbool.h>

enum td_samples_kind {
    TD_SAMPLES_RUNNING, /* taken while the thread ran: what costs are computed from */
    TD_SAMPLES_WAITING, /* taken when the thread was switched out: wait stacks */
    TD_SAMPLES_ALL
};

struct td_samples_choice {
    enum td_samples_kind kind;
    const uint32_t *tracks; /* NULL: of all tracks */
    size_t track_count;
    int64_t from_ns, to_ns; /* from <= time < to; both 0: at any time */
    const char *within;     /* taken in a zone with this name, or of a location with it; NULL: anywhere */
};

struct td_stack_counts {
    uint64_t *at;   /* by stack (row of STACK) */
    size_t stacks;  /* elements of `at` */
    uint64_t total; /* their sum */
    int64_t *bytes; /* by stack, of allocations; NULL: counts are of something else */
};
/* 0, TD_E_STOPPED or TD_E_NOMEM. */
int td_stack_counts_make(const struct td_trace *trace, const struct td_samples_choice *choice,
                         const struct td_progress *progress, struct td_stack_counts *counts,
                         struct td_err *err);
void td_stack_counts_free(struct td_stack_counts *counts);

/* Passes the chosen samples on, in blocks, track by track and in order of time; `stacks` and `times` have
 * `count` elements. Returns 0, TD_E_STOPPED, TD_E_NOMEM, or what take() returned if that is not 0. */
typedef int td_samples_take(void *self, uint32_t track, const int64_t *times, const int64_t *stacks,
                            size_t count);
int td_samples_walk(const struct td_trace *trace, const struct td_samples_choice *choice,
                    const struct td_progress *progress, td_samples_take *take, void *self);
/* The number of chosen samples of one track. */
uint64_t td_samples_of_track(const struct td_trace *trace, const struct td_samples_choice *choice,
                             uint32_t track);

/* A call stack with its inlined functions: levels, innermost first. */
struct td_level {
    uint64_t address; /* of the frame; the first frame's is the sampled instruction, others' are returns */
    uint64_t symbol;  /* address of the function; 0: not known */
    uint32_t function, file; /* strings; 0: not known */
    uint32_t line, image;
    uint32_t frame;  /* its place in the call stack, from 0 */
    bool is_inlined; /* the next level is the function that has this one inlined */
    bool is_kernel;
};
struct td_levels {
    struct td_level *at;
    size_t count, capacity;
};
/* 0 or TD_E_NOMEM. May be called repeatedly with the same struct. */
int td_levels_read(struct td_levels *levels, const struct td_trace *trace, uint32_t stack);
void td_levels_free(struct td_levels *levels);
/* The levels of one frame id (STACK_ENTRY, STACK_FRAME); 0 or TD_E_NOMEM. A frame that the trace does not know
 * is one level without names. */
int td_levels_add_frame(struct td_levels *levels, const struct td_trace *trace, uint64_t id, uint32_t frame);

/* What a function is known by where it is summed: its symbol, or its name if it has none. 0: not known. */
uint64_t td_level_key(const struct td_level *level);

/* The first progress report of each piece of work. `done` of `total`; TD_E_STOPPED or 0. */
int td_samples_step(const struct td_progress *progress, uint64_t done, uint64_t total);
