/* Wait stacks: the call stacks with which threads were switched out, how often, and how long the threads were away
 * from a processor. */
#pragma once
#include "host/query/code/samples.h"

struct td_wait_stack {
    uint32_t stack;
    uint64_t count;           /* times that a thread was switched out there */
    uint64_t timed;           /* of these, how many have a known length */
    int64_t total_ns, max_ns; /* from the switch to the next run, of the timed ones */
    int64_t woken_ns;         /* part of total_ns after the thread was woken: it could run, and did not */
};
struct td_wait_stacks { /* by total_ns, then count, descending */
    struct td_wait_stack *at;
    size_t count;
    uint64_t waits, timed;
    int64_t total_ns;
    /* The same by stack, for td_call_tree_make(): numbers of waits, and nanoseconds. */
    struct td_stack_counts counts, times_ns;
};
/* `choice` has tracks and times; its kind does not matter. 0, TD_E_STOPPED or TD_E_NOMEM. */
int td_wait_stacks_make(const struct td_trace *trace, const struct td_samples_choice *choice,
                        const struct td_progress *progress, struct td_wait_stacks *waits, struct td_err *err);
void td_wait_stacks_free(struct td_wait_stacks *waits);
