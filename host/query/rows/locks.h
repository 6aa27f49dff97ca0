/* Who held and who waited for a lock over time.
 *
 * The events of a lock are kept in the model. Here is a checkpoint for each BLOCK of them, with the state and
 * the times that were spent in each state until then. So any moment and any sum over a range are found by a
 * binary search and at most one block of events. */
#pragma once
#include "host/trace/trace.h"

struct td_lock_state {
    uint64_t holders, waiters; /* bits by row of the lock's LOCK_THREAD list; several holders: shared */
};

/* Times in ns: held by some thread, held while another thread waited, and the sum over the waiting threads. */
struct td_lock_times {
    double held, contended, waited;
};

struct td_lock_segment { /* a state that does not change from start to end */
    int64_t start_ns, end_ns;
    struct td_lock_state state;
    uint64_t event; /* row of LOCK_EVENT that began it */
};

struct td_lock {
    struct td_lock_checkpoint *checkpoints;
    size_t count;
    uint64_t waiters; /* bits by row of LOCK_THREAD: of those that waited while another thread held it */
};

struct td_locks {         /* all zero: none */
    struct td_lock *lock; /* by row of the table LOCK */
    uint64_t count;
};

/* Reads all events. 0 or TD_E_NOMEM. */
int td_locks_build(struct td_locks *locks, const struct td_trace *trace, struct td_err *err);
void td_locks_free(struct td_locks *locks);

/* The segment that contains `time_ns`; false: none of the lock's events is at or before it. The last segment ends at
 * INT64_MAX. */
bool td_lock_at(const struct td_locks *locks, const struct td_trace *trace, uint64_t lock, int64_t time_ns,
                struct td_lock_segment *segment);
/* The segment after `segment`; false: it was the last one. */
bool td_lock_next(const struct td_trace *trace, uint64_t lock, struct td_lock_segment *segment);
/* The times from the first event until time_ns. */
struct td_lock_times td_lock_times_until(const struct td_locks *locks, const struct td_trace *trace,
                                         uint64_t lock, int64_t time_ns);
