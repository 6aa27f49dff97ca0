/* The table of call stacks with which threads were switched out. */
#include "host/query/code/sample_tables.h"

struct wait_stack_rows {
    struct td_query_rows rows;
    struct td_wait_stacks waits;
};
#define ROWS struct wait_stack_rows
#define WAIT (&r->waits.at[i])

static double mean_of(const struct td_wait_stack *wait)
{
    return wait->timed ? (double)wait->total_ns / (double)wait->timed : 0;
}

static struct td_query_value timed_value(const struct td_wait_stack *wait, int64_t ns)
{
    return td_is_part(wait->timed != 0, td_is_int(ns));
}

/* clang-format off */
#define WAIT_COLUMNS(X)                                                                                       \
    X(count,    "Times",      COUNT,    80,  td_is_uint(WAIT->count))                                         \
    X(timed,    "Timed",      COUNT,    80,  td_is_uint(WAIT->timed))                                         \
    X(total_ns, "Waited",     DURATION, 100, timed_value(WAIT, WAIT->total_ns))                                       \
    X(mean_ns,  "Mean",       MEAN,     92,  td_is_part(WAIT->timed != 0, td_is_real(mean_of(WAIT))))         \
    X(max_ns,   "Longest",    DURATION, 92,  timed_value(WAIT, WAIT->max_ns))                                         \
    X(woken_ns, "Then woken", DURATION, 92,  timed_value(WAIT, WAIT->woken_ns))                                       \
    X(stack,    "Functions",  TEXT,     0,   td_is_stack(rows, WAIT->stack, false, room))                     \
    X(callers,  "Call stack", TEXT,     0,   td_is_stack(rows, WAIT->stack, true, room))
/* clang-format on */
TD_QUERY_COLUMNS(WAIT_COLUMNS)

static int make_waits(struct td_query_rows *rows)
{
    struct wait_stack_rows *r = (void *)rows;
    const struct td_samples_choice choice = td_samples_of(&rows->of);
    const struct td_progress progress = td_job_progress_of(rows->of.job);
    const int rc = td_wait_stacks_make(rows->of.trace, &choice, &progress, &r->waits, NULL);
    rows->count = r->waits.count;
    return rc;
}

TD_QUERY_FREES(free_waits, td_wait_stacks_free(&r->waits))

const struct td_wait_stacks *td_wait_stacks_of(const struct td_query_rows *rows)
{
    return &((const struct wait_stack_rows *)rows)->waits;
}

const struct td_query_table td_table_wait_stacks = {
    .name = "wait_stacks",
    .about = "a call stack with which threads were switched out",
    TD_QUERY_WITH_COLUMNS,
    .make = make_waits,
    .free = free_waits,
    .free_with = td_samples_wanted_free,
    .json = "count timed total_ns max_ns woken_ns stack",
    .lines = "count timed total_ns max_ns woken_ns stack",
};
