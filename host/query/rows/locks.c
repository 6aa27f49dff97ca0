#include "host/query/rows/locks.h"
#include "host/base/sorted.h"
#include "host/trace/tables.h"

#include <stdlib.h>

#define BLOCK 256u

struct td_lock_checkpoint { /* before event BLOCK * its number */
    int64_t time_ns;        /* of that event */
    struct td_lock_state state;
    struct td_lock_times times;
};

enum { KIND_WAIT, KIND_OBTAIN, KIND_RELEASE, KINDS = 3 /* shared kinds follow in the same order */ };

struct lock_event {
    int64_t time_ns;
    uint64_t bit;
    int kind;
};

static struct lock_event read_event(const struct td_series *events, uint64_t at)
{
    uint64_t thread = (uint64_t)td_series_get(events, at, TD_LOCK_EVENT_THREAD);
    return (struct lock_event){td_series_get(events, at, TD_LOCK_EVENT_TIME),
                               thread < 64 ? UINT64_C(1) << thread : 0,
                               (int)td_series_get(events, at, TD_LOCK_EVENT_KIND) % KINDS};
}

static void apply(struct td_lock_state *state, const struct lock_event *event)
{
    if (event->kind == KIND_WAIT) {
        state->waiters |= event->bit;
    } else if (event->kind == KIND_OBTAIN) {
        state->waiters &= ~event->bit;
        state->holders |= event->bit;
    } else {
        state->holders &= ~event->bit;
    }
}

static void spend(struct td_lock_times *times, const struct td_lock_state *state, int64_t from_ns,
                  int64_t to_ns)
{
    double ns = to_ns > from_ns ? (double)to_ns - (double)from_ns : 0;
    times->held += state->holders ? ns : 0;
    times->contended += state->holders && state->waiters ? ns : 0;
    times->waited += ns * __builtin_popcountll(state->waiters);
}

static int build_lock(struct td_lock *lock, const struct td_series *events)
{
    uint64_t count = td_series_count(events);
    struct td_lock_state state = {0};
    struct td_lock_times times = {0};
    int64_t before = 0;
    lock->checkpoints = calloc(count / BLOCK + 1, sizeof *lock->checkpoints);
    if (!lock->checkpoints)
        return TD_E_NOMEM;
    for (uint64_t i = td_series_first(events); i < count; i++) {
        const struct lock_event event = read_event(events, i);
        spend(&times, &state, before, event.time_ns);
        lock->waiters |= state.holders && event.time_ns > before ? state.waiters : 0;
        if (i % BLOCK == 0 || !lock->count) {
            lock->count = i / BLOCK + 1;
            lock->checkpoints[i / BLOCK] = (struct td_lock_checkpoint){event.time_ns, state, times};
        }
        apply(&state, &event);
        before = event.time_ns;
    }
    return 0;
}

int td_locks_build(struct td_locks *locks, const struct td_trace *trace, struct td_err *err)
{
    *locks = (struct td_locks){.count = td_series_count(td_trace_table(trace, TD_TABLE_LOCK))};
    locks->lock = calloc(locks->count + 1, sizeof *locks->lock);
    for (uint64_t l = 0; locks->lock && l < locks->count; l++)
        if (build_lock(&locks->lock[l], td_trace_list(trace, TD_TABLE_LOCK_EVENT, l)) < 0) {
            td_locks_free(locks);
            break;
        }
    return locks->lock ? 0 : td_fail_no_memory(err, "for locks");
}

void td_locks_free(struct td_locks *locks)
{
    for (uint64_t l = 0; locks->lock && l < locks->count; l++)
        free(locks->lock[l].checkpoints);
    free(locks->lock);
    *locks = (struct td_locks){0};
}

/* The last checkpoint at or before time_ns; -1: the time is before the first event. */
static int64_t find_checkpoint(const struct td_lock *lock, uint64_t first, int64_t time_ns)
{
    int64_t low = (int64_t)first, high = (int64_t)lock->count;
    TD_BISECT(low, high, middle, lock->checkpoints[middle].time_ns <= time_ns);
    return low > (int64_t)first ? low - 1 : -1;
}

/* Applies the events at or before time_ns, from the checkpoint before it on. Returns the number of the next event;
 * 0: there are none. */
static uint64_t replay(const struct td_locks *locks, const struct td_trace *trace, uint64_t number,
                       int64_t time_ns, struct td_lock_state *state, struct td_lock_times *times,
                       int64_t *before)
{
    const struct td_lock *lock = &locks->lock[number];
    const struct td_series *events = td_trace_list(trace, TD_TABLE_LOCK_EVENT, number);
    int64_t found = find_checkpoint(lock, td_series_first(events) / BLOCK, time_ns);
    if (found < 0)
        return 0;
    const struct td_lock_checkpoint *c = &lock->checkpoints[found];
    uint64_t at = (uint64_t)found * BLOCK, first = td_series_first(events);
    at = at < first ? first : at;
    *state = c->state;
    *times = c->times;
    *before = c->time_ns;
    for (; at < td_series_count(events); at++) {
        const struct lock_event event = read_event(events, at);
        if (event.time_ns > time_ns)
            break;
        spend(times, state, *before, event.time_ns);
        apply(state, &event);
        *before = event.time_ns;
    }
    return at;
}

bool td_lock_at(const struct td_locks *locks, const struct td_trace *trace, uint64_t lock, int64_t time_ns,
                struct td_lock_segment *segment)
{
    const struct td_series *events = td_trace_list(trace, TD_TABLE_LOCK_EVENT, lock);
    struct td_lock_times times;
    if (lock >= locks->count)
        return false;
    uint64_t next = replay(locks, trace, lock, time_ns, &segment->state, &times, &segment->start_ns);
    if (!next)
        return false;
    segment->event = next - 1;
    segment->end_ns =
        next < td_series_count(events) ? td_series_get(events, next, TD_LOCK_EVENT_TIME) : INT64_MAX;
    return true;
}

bool td_lock_next(const struct td_trace *trace, uint64_t lock, struct td_lock_segment *segment)
{
    const struct td_series *events = td_trace_list(trace, TD_TABLE_LOCK_EVENT, lock);
    uint64_t count = td_series_count(events), at = segment->event + 1;
    if (at >= count)
        return false;
    /* Events at the same time are one change. */
    segment->start_ns = td_series_get(events, at, TD_LOCK_EVENT_TIME);
    for (; at < count; at++) {
        const struct lock_event event = read_event(events, at);
        if (event.time_ns > segment->start_ns)
            break;
        apply(&segment->state, &event);
    }
    segment->event = at - 1;
    segment->end_ns = at < count ? td_series_get(events, at, TD_LOCK_EVENT_TIME) : INT64_MAX;
    return true;
}

struct td_lock_times td_lock_times_until(const struct td_locks *locks, const struct td_trace *trace,
                                         uint64_t lock, int64_t time_ns)
{
    struct td_lock_state state;
    struct td_lock_times times = {0};
    int64_t before;
    if (lock < locks->count && replay(locks, trace, lock, time_ns, &state, &times, &before))
        spend(&times, &state, before, time_ns);
    return times;
}
