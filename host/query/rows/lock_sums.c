#include "host/query/rows/lock_sums.h"
#include "host/base/wrap.h"
#include "host/trace/tables.h"

#include <stdlib.h>

#define CHECK_EVERY 8192 /* events between two looks at whether the job is cancelled */
#define THREADS     64

enum { WAIT, OBTAIN, RELEASE };

struct lock_replay {
    struct td_lock_sum *sum;
    int64_t from_ns, to_ns;
    uint64_t holders, waiters;
    int64_t since_ns;          /* of this state */
    int64_t waits_ns[THREADS]; /* since when each thread waits */
};

/* The state has lasted until time_ns. */
static void spend(struct lock_replay *r, int64_t time_ns)
{
    const int64_t start = r->since_ns > r->from_ns ? r->since_ns : r->from_ns,
                  end = time_ns < r->to_ns ? time_ns : r->to_ns;
    r->since_ns = time_ns;
    if (end <= start)
        return;
    r->sum->held_ns += r->holders ? end - start : 0;
    r->sum->contended_ns += r->holders && r->waiters ? end - start : 0;
    r->sum->waited_ns =
        td_wrap_add(r->sum->waited_ns, (end - start) * (int64_t)__builtin_popcountll(r->waiters));
}

static void end_wait(struct lock_replay *r, unsigned thread, int64_t time_ns)
{
    const int64_t waited = time_ns - r->waits_ns[thread];
    if (time_ns < r->from_ns || time_ns > r->to_ns || waited <= r->sum->longest_ns)
        return;
    r->sum->longest_ns = waited;
    r->sum->longest_at_ns = r->waits_ns[thread];
}

static void take_event(struct lock_replay *r, int64_t time_ns, unsigned thread, unsigned kind)
{
    const uint64_t bit = UINT64_C(1) << (thread % THREADS);
    spend(r, time_ns);
    if (time_ns >= r->from_ns && time_ns <= r->to_ns) {
        r->sum->events[kind]++;
        r->sum->threads |= bit;
    }
    if (kind % 3 == WAIT) {
        r->waiters |= bit;
        r->waits_ns[thread % THREADS] = time_ns;
    } else if (kind % 3 == OBTAIN) {
        if (r->waiters & bit)
            end_wait(r, thread % THREADS, time_ns);
        r->waiters &= ~bit;
        r->holders |= bit;
    } else {
        r->holders &= ~bit;
    }
}

static int sum_lock(struct td_lock_sum *sum, const struct td_trace *trace, uint64_t lock, int64_t from_ns,
                    int64_t to_ns, int64_t now_ns, struct td_job *job)
{
    const struct td_series *s = td_trace_list(trace, TD_TABLE_LOCK_EVENT, lock);
    const uint64_t count = td_series_count(s);
    struct lock_replay r = {.sum = sum, .from_ns = from_ns, .to_ns = to_ns};
    for (uint64_t i = td_series_first(s); i < count; i++) {
        if (job && i % CHECK_EVERY == 0 && td_job_cancelled(job))
            return TD_E_STOPPED;
        const uint64_t kind = (uint64_t)td_series_get(s, i, TD_LOCK_EVENT_KIND);
        if (kind < TD_LOCK_KINDS)
            take_event(&r, td_series_get(s, i, TD_LOCK_EVENT_TIME),
                       (unsigned)td_series_get(s, i, TD_LOCK_EVENT_THREAD), (unsigned)kind);
    }
    if (count && now_ns > r.since_ns)
        spend(&r, now_ns);
    return 0;
}

int td_lock_sums_make(struct td_lock_sums *sums, const struct td_trace *trace, int64_t from_ns, int64_t to_ns,
                      int64_t now_ns, struct td_job *job)
{
    int rc = 0;
    *sums = (struct td_lock_sums){.locks = td_series_count(td_trace_table(trace, TD_TABLE_LOCK))};
    sums->of = calloc(sums->locks + 1, sizeof *sums->of);
    if (!sums->of)
        return TD_E_NOMEM;
    for (uint64_t l = 0; rc == 0 && l < sums->locks; l++) {
        rc = sum_lock(&sums->of[l], trace, l, from_ns, to_ns, now_ns, job);
        if (job)
            td_job_set_progress(job, l, sums->locks);
    }
    return rc;
}

void td_lock_sums_free(struct td_lock_sums *sums)
{
    free(sums->of);
    *sums = (struct td_lock_sums){0};
}

uint64_t td_lock_sum_events(const struct td_lock_sum *sum)
{
    uint64_t all = 0;
    for (int k = 0; k < TD_LOCK_KINDS; k++)
        all += sum->events[k];
    return all;
}
