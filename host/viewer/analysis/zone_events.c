#include "host/viewer/analysis/zone_events.h"
#include "host/base/wrap.h"
#include "host/trace/tables.h"

#define CHECK_EVERY 8192 /* rows between two looks at whether the job is cancelled */

/* ---- memory ---- */

struct allocation_range {
    uint64_t thread;
    int64_t from_ns, to_ns;
};

static bool is_by(const struct allocation_range *r, const struct td_series *s, uint64_t row,
                  unsigned thread_column, int64_t time_ns)
{
    return time_ns >= r->from_ns && time_ns <= r->to_ns &&
           (uint64_t)td_series_get(s, row, thread_column) == r->thread;
}

static void list_allocation(struct td_zone_events *e, size_t first, const struct td_zone_allocation *a)
{
    if (e->listed - first < TD_ZONE_EVENTS && e->listed < TD_ZONE_EVENTS)
        e->allocation[e->listed++] = *a;
}

static int read_pool(struct td_zone_events *e, const struct td_series *s, const struct allocation_range *r,
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

/* ---- waits ---- */

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

/* The gaps between the times in which the thread ran. */
static void read_waits(struct td_zone_events *e, const struct td_trace *trace,
                       const struct allocation_range *r)
{
    const uint64_t row = switch_row(trace, r->thread);
    if (row == td_series_count(td_trace_table(trace, TD_TABLE_SWITCH_THREAD)))
        return;
    const struct td_series *s = td_trace_list(trace, TD_TABLE_SWITCH, row);
    uint64_t i = td_series_after(s, TD_SWITCH_START, r->from_ns);
    for (i -= i > 0; i + 1 < td_series_count(s); i++) {
        const int64_t end = td_series_get(s, i, TD_SWITCH_END),
                      start = td_series_get(s, i + 1, TD_SWITCH_START);
        if (end > r->to_ns || end < 0)
            break;
        const int64_t from = end > r->from_ns ? end : r->from_ns, to = start < r->to_ns ? start : r->to_ns;
        if (to <= from)
            continue;
        const struct td_zone_wait wait = {.start_ns = end,
                                          .end_ns = start,
                                          .reason = td_series_get(s, i, TD_SWITCH_REASON),
                                          .state = td_series_get(s, i, TD_SWITCH_STATE),
                                          .from_cpu = (int)td_series_get(s, i, TD_SWITCH_CPU),
                                          .to_cpu = (int)td_series_get(s, i + 1, TD_SWITCH_CPU)};
        e->waits++;
        e->migrations += wait.from_cpu != wait.to_cpu;
        e->waited_ns = td_wrap_add(e->waited_ns, to - from);
        if (e->waits_listed < TD_ZONE_EVENTS)
            e->wait[e->waits_listed++] = wait;
    }
}

int td_zone_events_make(struct td_zone_events *events, const struct td_trace *trace, uint64_t thread,
                        int64_t from_ns, int64_t to_ns, struct td_job *job)
{
    const struct allocation_range range = {thread, from_ns, to_ns};
    int rc = 0;
    *events = (struct td_zone_events){0};
    for (uint64_t p = 0; rc == 0 && p < td_trace_lists(trace, TD_TABLE_MEMORY); p++)
        rc = read_pool(events, td_trace_list(trace, TD_TABLE_MEMORY, p), &range, job);
    if (rc == 0)
        read_waits(events, trace, &range);
    return rc;
}
