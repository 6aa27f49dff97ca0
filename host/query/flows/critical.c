#include "host/query/flows/critical.h"
#include "host/base/grow.h"

#include <stdlib.h>

/* The way back through the range. */
struct critical_walk {
    struct td_critical *path;
    const struct td_switches *switches;
    int64_t now_ns;
    uint64_t thread;
    int64_t time_ns;
    uint64_t wakes; /* the thread that is woken at time_ns; 0: none */
    bool likely;
    int rc;
};

const char *td_critical_word(enum td_critical_state state)
{
    static const char *const words[] = {
#define TD_X(id, word) word,
        TD_CRITICAL_STATES(TD_X)
#undef TD_X
    };
    return words[state];
}

/* The thread's runs; NULL: only what the processors ran is known of it. */
static const struct td_busy *runs_of(const struct td_switches *s, uint64_t thread)
{
    const uint32_t track = td_switches_track(s, thread);
    const struct td_busy *runs = track == UINT32_MAX ? NULL : td_switches_of(s, track);
    for (uint64_t i = 0; !runs && track == UINT32_MAX && i < s->thread_count; i++)
        if (s->threads[i].rows && td_series_count(s->threads[i].rows) &&
            (uint64_t)td_series_get(td_trace_table(s->trace, TD_TABLE_SWITCH_THREAD), i,
                                    TD_SWITCH_THREAD_THREAD) == thread)
            runs = &s->threads[i];
    return runs;
}

/* A part from start_ns, but not from before the range, up to where the walk is, which goes there. */
static void add_part(struct critical_walk *w, struct td_critical_part part, int64_t start_ns)
{
    start_ns = start_ns > w->path->from_ns ? start_ns : w->path->from_ns;
    if (start_ns >= w->time_ns || w->rc < 0)
        return;
    part.thread = w->thread;
    part.wakes = w->wakes;
    part.likely = w->likely;
    part.start_ns = start_ns;
    part.end_ns = w->time_ns;
    if (TD_APPEND(w->path->parts, w->path->count, w->path->capacity, part) < 0)
        w->rc = TD_E_NOMEM;
    w->time_ns = start_ns;
    w->wakes = 0;
    w->likely = false;
}

static void add_wait(struct critical_walk *w, const struct td_busy *runs, uint64_t row, int64_t start_ns)
{
    add_part(w,
             (struct td_critical_part){.state = TD_CRITICAL_WAITS,
                                       .reason = td_series_get(runs->rows, row, TD_SWITCH_REASON),
                                       .wait_state = td_series_get(runs->rows, row, TD_SWITCH_STATE)},
             start_ns);
}

/* What a thread of another program did to wake this one: its run is known, but not why it ran. Before, this one waits. */
static void visit_other(struct critical_walk *w, const struct td_wake *wake)
{
    const uint64_t thread = w->thread, row = td_wake_run_on(w->switches, wake->cpu, wake->woken_ns);
    if (row == UINT64_MAX)
        return;
    const struct td_busy *on = td_switches_cpu(w->switches, wake->cpu);
    const int64_t start = td_series_get(on->rows, row, on->start);
    w->thread = wake->waker;
    w->wakes = thread;
    w->likely = wake->how == TD_WAKER_LIKELY;
    add_part(w, (struct td_critical_part){.state = TD_CRITICAL_RUNS, .cpu = wake->cpu},
             start > wake->stopped_ns ? start : wake->stopped_ns);
    w->thread = thread;
}

/* From the start of a run back to where the thread stopped, or to what woke it. */
static void pass_gap(struct critical_walk *w, const struct td_busy *runs, uint64_t row)
{
    const struct td_critical_part ready = {.state = TD_CRITICAL_READY};
    const int64_t stopped = td_busy_end(runs, row - 1, w->now_ns);
    struct td_wake wake;
    if (!td_wake_of(w->switches, w->thread, runs, row, &wake)) {
        add_part(w, ready, stopped);
        return;
    }
    if (wake.woken_ns < w->time_ns)
        add_part(w, ready, wake.woken_ns);
    if (wake.woken_ns > w->time_ns) { /* the range ends before it was woken */
        add_wait(w, runs, row - 1, stopped);
        return;
    }
    if (wake.waker && runs_of(w->switches, wake.waker)) {
        w->wakes = w->thread;
        w->thread = wake.waker;
        w->likely = wake.how == TD_WAKER_LIKELY;
        return;
    }
    if (wake.waker)
        visit_other(w, &wake);
    add_wait(w, runs, row - 1, stopped);
}

/* One run and the gap before it. False: nothing is known before. */
static bool step_back(struct critical_walk *w)
{
    const struct td_busy *runs = runs_of(w->switches, w->thread);
    const uint64_t after = runs ? td_series_after(runs->rows, TD_SWITCH_START, w->time_ns) : 0;
    if (!after)
        return false;
    const uint64_t row = after - 1;
    const int64_t start = td_series_get(runs->rows, row, TD_SWITCH_START),
                  end = td_busy_end(runs, row, w->now_ns);
    if (end < w->time_ns && after < td_series_count(runs->rows)) { /* it does not run now */
        pass_gap(w, runs, after);
        return true;
    }
    if (end < w->time_ns)
        add_wait(w, runs, row, end);
    add_part(w,
             (struct td_critical_part){.state = TD_CRITICAL_RUNS,
                                       .cpu = (uint8_t)td_series_get(runs->rows, row, TD_SWITCH_CPU)},
             start);
    if (w->time_ns <= start && row)
        pass_gap(w, runs, row);
    return row > 0;
}

static void reverse(struct td_critical *path)
{
    for (size_t i = 0, k = path->count; i + 1 < k; i++) {
        const struct td_critical_part part = path->parts[i];
        path->parts[i] = path->parts[--k];
        path->parts[k] = part;
    }
}

int td_critical_make(struct td_critical *path, const struct td_switches *switches, uint64_t thread,
                     int64_t from_ns, int64_t to_ns, int64_t now_ns, struct td_job *job)
{
    td_critical_free(path);
    path->thread = thread;
    path->from_ns = from_ns;
    path->to_ns = to_ns < now_ns ? to_ns : now_ns;
    struct critical_walk w = {path, switches, now_ns, thread, path->to_ns, 0, false, 0};
    int still = 0; /* steps that did not go back in time: two threads may wake each other in one moment */
    while (w.rc == 0 && w.time_ns > from_ns && path->count < TD_CRITICAL_PARTS && still < 8) {
        const int64_t before_ns = w.time_ns;
        if (job && td_job_cancelled(job))
            w.rc = TD_E_STOPPED;
        else if (!step_back(&w))
            break;
        still = w.time_ns < before_ns ? 0 : still + 1;
    }
    if (w.rc < 0)
        td_critical_free(path);
    reverse(path);
    return w.rc;
}

void td_critical_free(struct td_critical *path)
{
    free(path->parts);
    *path = (struct td_critical){0};
}
