#include "host/query/rows/zone_events.h"
#include "host/base/compare.h"
#include "host/query/rows/fiber_at.h"
#include "host/base/grow.h"
#include "host/base/wrap.h"
#include "host/trace/tables.h"

#include <stdlib.h>

#define CHECK_EVERY 8192 /* rows between two looks at whether the job is cancelled */

/* ---- memory ---- */

struct thread_range {
    const struct td_dict *dict;
    struct td_fiber_runs fibers;
    uint32_t track;  /* of the thread or fiber */
    uint64_t thread; /* its number */
    int64_t from_ns, to_ns;
};

/* What the thread did at that time is the track's: it is that thread in no fiber, or the fiber that the thread ran. */
static bool is_of_track(const struct thread_range *r, uint64_t thread, int64_t time_ns)
{
    const struct td_track_runs *runs = td_fiber_runs_of(&r->fibers, r->track);
    if (!td_dict_get_track(r->dict, r->track)->fiber)
        return thread == r->thread && td_fiber_at(&r->fibers, r->track, time_ns) == r->track;
    const uint32_t on = runs ? td_fiber_at(&r->fibers, r->track, time_ns) : r->track;
    return on != r->track && on != TD_NO_FIBER_TRACK && td_dict_get_track(r->dict, on)->thread == thread;
}

static bool is_by(const struct thread_range *r, const struct td_series *s, uint64_t row,
                  unsigned thread_column, int64_t time_ns)
{
    return time_ns >= r->from_ns && time_ns <= r->to_ns &&
           is_of_track(r, (uint64_t)td_series_get(s, row, thread_column), time_ns);
}

static void list_allocation(struct td_zone_events *e, size_t first, const struct td_zone_allocation *a)
{
    if (e->listed - first < TD_ZONE_EVENTS && e->listed < TD_ZONE_EVENTS)
        e->allocation[e->listed++] = *a;
}

static int read_pool(struct td_zone_events *e, const struct td_series *s, const struct thread_range *r,
                     struct td_job *job)
{
    const size_t first = e->listed;
    for (uint64_t i = td_series_first(s); i < td_series_count(s); i++) {
        if (job && i % CHECK_EVERY == 0 && td_job_cancelled(job))
            return TD_E_STOPPED;
        const int64_t time = td_series_get(s, i, TD_MEMORY_TIME),
                      freed = td_series_get(s, i, TD_MEMORY_FREE_TIME);
        if (time > r->to_ns)
            break;
        struct td_zone_allocation a = {.bytes = td_series_get(s, i, TD_MEMORY_SIZE),
                                       .address = (uint64_t)td_series_get(s, i, TD_MEMORY_ADDRESS)};
        if (is_by(r, s, i, TD_MEMORY_THREAD, time)) {
            e->allocations++;
            e->allocated_bytes = td_wrap_add(e->allocated_bytes, a.bytes);
            a.time_ns = time;
            list_allocation(e, first, &a);
        }
        if (freed >= 0 && is_by(r, s, i, TD_MEMORY_FREE_THREAD, freed)) {
            e->frees++;
            e->freed_bytes = td_wrap_add(e->freed_bytes, a.bytes);
            a.time_ns = freed;
            a.frees = true;
            list_allocation(e, first, &a);
        }
    }
    return 0;
}

/* ---- runs and waits ---- */

/* The thread's row of SWITCH_THREAD; the count of rows: there is none. */
static uint64_t switch_row(const struct td_trace *trace, uint64_t thread)
{
    const struct td_series *threads = td_trace_table(trace, TD_TABLE_SWITCH_THREAD);
    uint64_t row = 0;
    while (row < td_series_count(threads) &&
           (uint64_t)td_series_get(threads, row, TD_SWITCH_THREAD_THREAD) != thread)
        row++;
    return row;
}

static void add_run(struct td_zone_events *e, int64_t cpu, int64_t from_ns, int64_t to_ns)
{
    size_t at = 0;
    if (to_ns <= from_ns)
        return;
    while (at < e->cpus && e->cpu[at].cpu != (int)cpu)
        at++;
    if (at == TD_ZONE_CPUS)
        return;
    if (at == e->cpus)
        e->cpu[e->cpus++] = (struct td_zone_cpu){.cpu = (int)cpu};
    e->cpu[at].runs++;
    e->cpu[at].ns = td_wrap_add(e->cpu[at].ns, to_ns - from_ns);
}

/* The gap after run i of the thread. */
static void add_wait(struct td_zone_events *e, const struct td_series *s, uint64_t i,
                     const struct thread_range *r)
{
    const struct td_zone_wait wait = {.start_ns = td_series_get(s, i, TD_SWITCH_END),
                                      .end_ns = td_series_get(s, i + 1, TD_SWITCH_START),
                                      .reason = td_series_get(s, i, TD_SWITCH_REASON),
                                      .state = td_series_get(s, i, TD_SWITCH_STATE),
                                      .from_cpu = (int)td_series_get(s, i, TD_SWITCH_CPU),
                                      .to_cpu = (int)td_series_get(s, i + 1, TD_SWITCH_CPU)};
    const int64_t from = wait.start_ns > r->from_ns ? wait.start_ns : r->from_ns,
                  to = wait.end_ns < r->to_ns ? wait.end_ns : r->to_ns;
    if (to <= from)
        return;
    e->waits++;
    e->migrations += wait.from_cpu != wait.to_cpu;
    e->waited_ns = td_wrap_add(e->waited_ns, to - from);
    if (e->waits_listed < TD_ZONE_EVENTS)
        e->wait[e->waits_listed++] = wait;
}

TD_COMPARE(compare_cpus, struct td_zone_cpu, TD_DOWN(ns) TD_UP(cpu))

/* The times in which the thread ran, and the gaps between them. */
static void read_runs(struct td_zone_events *e, const struct td_trace *trace, const struct thread_range *r)
{
    const uint64_t row = switch_row(trace, r->thread);
    if (row == td_series_count(td_trace_table(trace, TD_TABLE_SWITCH_THREAD)))
        return;
    const struct td_series *s = td_trace_list(trace, TD_TABLE_SWITCH, row);
    uint64_t i = td_series_after(s, TD_SWITCH_START, r->from_ns);
    for (i -= i > 0; i < td_series_count(s); i++) {
        const int64_t start = td_series_get(s, i, TD_SWITCH_START), end = td_series_get(s, i, TD_SWITCH_END);
        const bool is_last = end < 0 || end > r->to_ns;
        if (start > r->to_ns)
            break;
        add_run(e, td_series_get(s, i, TD_SWITCH_CPU), start > r->from_ns ? start : r->from_ns,
                is_last ? r->to_ns : end);
        if (is_last)
            break;
        if (i + 1 < td_series_count(s))
            add_wait(e, s, i, r);
    }
}

/* The same of a fiber, on the threads that it ran on; while it ran on none, it is not known why. */
static int read_fiber_runs(struct td_zone_events *e, const struct td_trace *trace,
                           const struct thread_range *r, struct td_job *job)
{
    const struct td_track_runs *fiber = td_fiber_runs_of(&r->fibers, r->track);
    for (size_t i = fiber ? td_fiber_runs_after(fiber, 0, (double)r->from_ns) : 0; fiber && i < fiber->count;
         i++) {
        const struct td_fiber_run *run = &fiber->runs[i];
        struct thread_range part = *r;
        if (run->start_ns > r->to_ns)
            break;
        if (job && td_job_cancelled(job))
            return TD_E_STOPPED;
        if (run->other == TD_NO_FIBER_TRACK)
            continue;
        part.thread = td_dict_get_track(r->dict, run->other)->thread;
        part.from_ns = run->start_ns > r->from_ns ? run->start_ns : r->from_ns;
        part.to_ns = run->end_ns < r->to_ns ? run->end_ns : r->to_ns;
        read_runs(e, trace, &part);
    }
    return 0;
}

/* ---- samples ---- */

struct sample_counting {
    const struct thread_range *range;
    struct td_stack_counts counts;
};

static int count_samples(void *self, uint32_t track, const int64_t *times, const int64_t *stacks,
                         size_t count)
{
    struct sample_counting *c = self;
    const uint64_t thread = td_dict_get_track(c->range->dict, track)->thread;
    for (size_t i = 0; i < count; i++)
        if ((uint64_t)stacks[i] < c->counts.stacks && is_of_track(c->range, thread, times[i])) {
            c->counts.at[stacks[i]]++;
            c->counts.total++;
        }
    return 0;
}

/* The threads that the fiber ran on in the range; else the track itself. Samples are of threads. 0 or TD_E_NOMEM. */
static int find_sampled(const struct thread_range *r, uint32_t **tracks, size_t *count)
{
    const struct td_track_runs *runs = td_fiber_runs_of(&r->fibers, r->track);
    const bool is_fiber = td_dict_get_track(r->dict, r->track)->fiber;
    size_t room = 0;
    *count = 0;
    if (td_grow(tracks, &room, 1, sizeof **tracks) < 0)
        return TD_E_NOMEM;
    if (!is_fiber)
        (*tracks)[(*count)++] = r->track;
    for (size_t i = runs && is_fiber ? td_fiber_runs_after(runs, 0, (double)r->from_ns) : SIZE_MAX;
         runs && i < runs->count && runs->runs[i].start_ns <= r->to_ns; i++) {
        const uint32_t other = runs->runs[i].other;
        size_t at = 0;
        while (at < *count && (*tracks)[at] != other)
            at++;
        if (other == TD_NO_FIBER_TRACK || at < *count)
            continue;
        if (td_grow(tracks, &room, *count + 1, sizeof **tracks) < 0)
            return TD_E_NOMEM;
        (*tracks)[(*count)++] = other;
    }
    return 0;
}

static int read_samples(struct td_zone_events *e, const struct td_trace *trace, const struct thread_range *r,
                        struct td_job *job)
{
    uint32_t *tracks = NULL;
    struct td_samples_choice choice = {.from_ns = r->from_ns, .to_ns = td_wrap_add(r->to_ns, 1)};
    const struct td_progress progress = td_job_progress_of(job);
    struct sample_counting counting = {
        .range = r, .counts.stacks = (size_t)td_series_count(td_trace_table(trace, TD_TABLE_STACK))};
    struct td_err err = {0};
    uint64_t samples = 0;
    int rc = find_sampled(r, &tracks, &choice.track_count);
    choice.tracks = tracks;
    for (size_t i = 0; rc == 0 && i < choice.track_count; i++)
        samples += td_samples_of_track(trace, &choice, tracks[i]);
    if (rc == 0 && samples) {
        counting.counts.at = calloc(counting.counts.stacks + 1, sizeof *counting.counts.at);
        rc = counting.counts.at ? td_samples_walk(trace, &choice, &progress, count_samples, &counting)
                                : TD_E_NOMEM;
    }
    if (rc == 0 && counting.counts.total)
        rc = td_symbol_sums_make(trace, &choice, &counting.counts, true, &progress, &e->symbols, &err);
    td_stack_counts_free(&counting.counts);
    free(tracks);
    return rc;
}

int td_zone_events_make(struct td_zone_events *events, const struct td_trace *trace, uint32_t track,
                        int64_t from_ns, int64_t to_ns, struct td_job *job)
{
    const struct td_track *of = td_dict_get_track(td_trace_dict(trace), track);
    struct thread_range range = {.dict = td_trace_dict(trace),
                                 .track = track,
                                 .thread = of->thread,
                                 .from_ns = from_ns,
                                 .to_ns = to_ns};
    int rc = td_fiber_runs_build(&range.fibers, trace);
    *events = (struct td_zone_events){0};
    if (!td_track_is_core(of) && rc == 0) {
        for (uint64_t p = 0; rc == 0 && p < td_trace_lists(trace, TD_TABLE_MEMORY); p++)
            rc = read_pool(events, td_trace_list(trace, TD_TABLE_MEMORY, p), &range, job);
        if (rc == 0 && of->fiber)
            rc = read_fiber_runs(events, trace, &range, job);
        else
            read_runs(events, trace, &range);
        qsort(events->cpu, events->cpus, sizeof *events->cpu, compare_cpus);
    }
    rc = rc ? rc : read_samples(events, trace, &range, job);
    td_fiber_runs_free(&range.fibers);
    return rc;
}

void td_zone_events_free(struct td_zone_events *events)
{
    td_symbol_sums_free(&events->symbols);
    *events = (struct td_zone_events){0};
}
