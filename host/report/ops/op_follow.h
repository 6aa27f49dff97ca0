/* Operations of a trace that is being filled, as they end: a thread reads the model and calls back.
 *
 * init; begin, when the model has no events yet; end, after the last event; finish, once the model is
 * finished; free
 *
 * `begin` and `end` have the types of a recorder's follower. Without `begin` the others do nothing. */
#pragma once
#include "host/report/ops/host_ops.h"
#include "host/report/ops/trace_source.h"

#include <pthread.h>

/* Gets an operation that has ended, with the name that the host gave it. Called in the follower's thread,
 * and from td_op_follow_end() and td_op_follow_finish(). What it returns other than 0 ends the following. */
typedef int td_on_op(void *self, const struct td_op_sum *op, struct td_err *err);

struct td_op_follow {
    td_on_op *on_op;
    void *self;
    uint64_t given; /* operations so far; valid after td_op_follow_end() */

    struct td_trace *trace; /* NULL: not begun */
    struct td_op_sums *sums;
    struct td_trace_follower *follower;
    struct td_host_ops host;
    size_t messages; /* that were read */
    char name[200];
    pthread_t thread;
    bool has_thread;
    int stop;          /* atomic */
    struct td_err err; /* why it ended early; code 0: it did not */
};
void td_op_follow_init(struct td_op_follow *follow, td_on_op *on_op, void *self);
int td_op_follow_begin(void *follow, struct td_trace *trace, struct td_err *err);
void td_op_follow_end(void *follow);
/* Gives the operations that are left: those whose launches became visible when the model was finished, and
 * open ones. 0, or why the following ended early. */
int td_op_follow_finish(struct td_op_follow *follow, struct td_err *err);
void td_op_follow_free(struct td_op_follow *follow);
