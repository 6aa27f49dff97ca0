/* What happened to each lock in a range of time. */
#pragma once
#include "host/trace/trace.h"
#include "host/query/task/job.h"

#define TD_LOCK_KINDS 6 /* of events: wait, obtain, release, then the same, shared */

struct td_lock_sum {
    uint64_t events[TD_LOCK_KINDS]; /* in the range */
    uint64_t threads;               /* bits by row of LOCK_THREAD: with events in the range */
    int64_t held_ns;                /* the parts of the range in which a thread held it; ... */
    int64_t contended_ns;           /* ... while others waited */
    int64_t waited_ns;              /* summed over the threads that waited */
    int64_t longest_ns;             /* the longest wait that ended in the range, and when it began */
    int64_t longest_at_ns;
};

struct td_lock_sums { /* all zero: none */
    struct td_lock_sum *of;
    uint64_t locks;
};

/* The last state of a lock lasts until now_ns. 0, TD_E_NOMEM or TD_E_STOPPED; td_lock_sums_free() frees the result in
 * any case. `job` may be NULL. */
int td_lock_sums_make(struct td_lock_sums *sums, const struct td_trace *trace, int64_t from_ns, int64_t to_ns,
                      int64_t now_ns, struct td_job *job);
void td_lock_sums_free(struct td_lock_sums *sums);
uint64_t td_lock_sum_events(const struct td_lock_sum *sum);
