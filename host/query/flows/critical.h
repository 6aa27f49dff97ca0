/* The critical path of a thread in a range of time, over wakeups: what it did, or else, while it waited, what the thread
 * did that woke it, and that thread's waker before, back to the start of the range. */
#pragma once
#include "host/query/flows/wakes.h"
#include "host/query/task/job.h"

#define TD_CRITICAL_PARTS 4096 /* at most: the last ones of the range */

#define TD_CRITICAL_STATES(X)                                                                                \
    X(RUNS, "runs")                                                                                          \
    X(READY, "ready") /* could run, and waited for a processor */                                            \
    X(WAITS, "waits") /* for no thread of the trace that is known */
enum td_critical_state {
#define TD_X(id, word) TD_CRITICAL_##id,
    TD_CRITICAL_STATES(TD_X)
#undef TD_X
};
const char *td_critical_word(enum td_critical_state state);

struct td_critical_part {
    uint64_t thread;
    uint64_t wakes; /* the thread that it wakes at its end; 0: none */
    int64_t start_ns, end_ns;
    int64_t reason, wait_state; /* of WAITS, as for td_switch_reason() */
    uint8_t state;              /* enum td_critical_state */
    uint8_t cpu;                /* of RUNS */
    bool likely;                /* who woke whom is not certain: see wakes.h */
};

struct td_critical { /* all zero: none */
    uint64_t thread;
    int64_t from_ns, to_ns;
    struct td_critical_part
        *parts; /* by time, without gaps, up to to_ns; the first one may begin after from_ns */
    size_t count, capacity;
};
/* Replaces it. What has not ended lasts until now_ns. 0, TD_E_NOMEM, or TD_E_STOPPED; `job` may be NULL. */
int td_critical_make(struct td_critical *path, const struct td_switches *switches, uint64_t thread,
                     int64_t from_ns, int64_t to_ns, int64_t now_ns, struct td_job *job);
void td_critical_free(struct td_critical *path);
