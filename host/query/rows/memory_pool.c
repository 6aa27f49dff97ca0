#include "host/query/rows/memory_pool.h"
#include "host/base/sorted.h"
#include "host/base/grow.h"
#include "host/base/wrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHECK_EVERY 8192 /* rows between two looks at whether the job is cancelled */

struct td_allocation td_allocation_get(const struct td_trace *trace, uint32_t pool, uint64_t row)
{
    const struct td_series *s = td_trace_list(trace, TD_TABLE_MEMORY, pool);
    return (struct td_allocation){
        .row = row,
        .address = (uint64_t)td_series_get(s, row, TD_MEMORY_ADDRESS),
        .bytes = td_series_get(s, row, TD_MEMORY_SIZE),
        .time_ns = td_series_get(s, row, TD_MEMORY_TIME),
        .free_ns = td_series_get(s, row, TD_MEMORY_FREE_TIME),
        .thread = (uint64_t)td_series_get(s, row, TD_MEMORY_THREAD),
        .free_thread = (uint64_t)td_series_get(s, row, TD_MEMORY_FREE_THREAD),
        .stack = (uint32_t)td_series_get(s, row, TD_MEMORY_STACK),
        .free_stack = (uint32_t)td_series_get(s, row, TD_MEMORY_FREE_STACK),
    };
}

const char *td_memory_pool_name(const struct td_trace *trace, uint64_t pool)
{
    const int64_t name = td_series_get(td_trace_table(trace, TD_TABLE_POOL), pool, TD_POOL_NAME);
    return name ? td_dict_text(td_trace_dict(trace), (uint32_t)name) : "Default";
}

/* The first row at or after the time. */
static uint64_t row_at(const struct td_series *s, int64_t time_ns)
{
    uint64_t low = td_series_first(s), high = td_series_count(s);
    TD_BISECT(low, high, middle, td_series_get(s, middle, TD_MEMORY_TIME) < time_ns);
    return low;
}

/* The row if its time is nearer than that of the last one. */
static void take_nearer(uint64_t row, int64_t row_ns, double time_ns, uint64_t *nearest, double *near_ns)
{
    const double far_ns = fabs((double)row_ns - time_ns);
    if (far_ns > *near_ns)
        return;
    *near_ns = far_ns;
    *nearest = row;
}

uint64_t td_allocation_near(const struct td_trace *trace, uint32_t pool, double time_ns, double near_ns)
{
    const struct td_series *s = td_trace_list(trace, TD_TABLE_MEMORY, pool);
    const uint64_t first = td_series_first(s), count = td_series_count(s);
    uint64_t nearest = UINT64_MAX;
    if (!(fabs(time_ns) < 9e18))
        return nearest;
    const uint64_t after = row_at(s, (int64_t)time_ns);
    const uint64_t from = after - first > TD_ALLOCATIONS_LOOKED_AT ? after - TD_ALLOCATIONS_LOOKED_AT : first;
    for (uint64_t row = from; row < after; row++) {
        const int64_t free_ns = td_series_get(s, row, TD_MEMORY_FREE_TIME);
        if (free_ns >= 0)
            take_nearer(row, free_ns, time_ns, &nearest, &near_ns);
    }
    if (after > first)
        take_nearer(after - 1, td_series_get(s, after - 1, TD_MEMORY_TIME), time_ns, &nearest, &near_ns);
    if (after < count)
        take_nearer(after, td_series_get(s, after, TD_MEMORY_TIME), time_ns, &nearest, &near_ns);
    return nearest;
}

void td_memory_rows(const struct td_memory_range *range, uint64_t *first, uint64_t *end)
{
    const struct td_series *s = td_trace_list(range->trace, TD_TABLE_MEMORY, range->pool);
    *first = row_at(s, range->from_ns);
    *end = range->to_ns == INT64_MAX ? td_series_count(s) : row_at(s, range->to_ns + 1);
    *end = *end < *first ? *first : *end;
}

static bool is_stopped(struct td_job *job, uint64_t done, uint64_t all)
{
    if (!job || done % CHECK_EVERY)
        return false;
    td_job_set_progress(job, done, all);
    return td_job_cancelled(job);
}

/* ---- sums ---- */

/* Allocations that will be freed, the next one first: as many as are in use at a time. */
struct release {
    int64_t time_ns, bytes;
};

struct releases { /* a heap */
    struct release *at;
    size_t count, capacity;
};

static int push_release(struct releases *r, struct release more)
{
    if (td_grow(&r->at, &r->capacity, r->count + 1, sizeof *r->at) < 0)
        return TD_E_NOMEM;
    size_t i = r->count++;
    for (; i && r->at[(i - 1) / 2].time_ns > more.time_ns; i = (i - 1) / 2)
        r->at[i] = r->at[(i - 1) / 2];
    r->at[i] = more;
    return 0;
}

static struct release pop_release(struct releases *r)
{
    const struct release first = r->at[0], last = r->at[--r->count];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < r->count; i = child) {
        child += child + 1 < r->count && r->at[child + 1].time_ns < r->at[child].time_ns;
        if (r->at[child].time_ns >= last.time_ns)
            break;
        r->at[i] = r->at[child];
    }
    r->at[i] = last;
    return first;
}

/* A point takes as many changes as it needs for all of them to fit in the points: twice as many when they are full. */
struct usage_maker {
    struct td_memory_sums *sums;
    int64_t now; /* bytes */
    uint64_t changes, changes_each;
};

static void join_points(struct td_memory_sums *sums)
{
    size_t to = 0;
    for (size_t i = 0; i < sums->points; i += 2) {
        struct td_usage_point p = sums->usage[i];
        if (i + 1 < sums->points) {
            const struct td_usage_point *q = &sums->usage[i + 1];
            p.low = q->low < p.low ? q->low : p.low;
            p.high = q->high > p.high ? q->high : p.high;
            p.last = q->last;
        }
        sums->usage[to++] = p;
    }
    sums->points = to;
}

static void change_usage(struct usage_maker *m, int64_t time_ns, int64_t bytes)
{
    struct td_memory_sums *s = m->sums;
    m->now = td_wrap_add(m->now, bytes);
    s->peak_bytes = m->now > s->peak_bytes ? m->now : s->peak_bytes;
    if (m->changes++ % m->changes_each == 0) {
        if (s->points == TD_USAGE_POINTS) {
            join_points(s);
            m->changes_each *= 2;
        }
        s->usage[s->points++] = (struct td_usage_point){time_ns, m->now, m->now, m->now};
        return;
    }
    struct td_usage_point *p = &s->usage[s->points - 1];
    p->low = m->now < p->low ? m->now : p->low;
    p->high = m->now > p->high ? m->now : p->high;
    p->last = m->now;
}

static void free_until(struct usage_maker *m, struct releases *r, int64_t time_ns)
{
    while (r->count && r->at[0].time_ns <= time_ns) {
        const struct release next = pop_release(r);
        change_usage(m, next.time_ns, -next.bytes);
    }
}

static void count_allocation(struct td_memory_sums *s, const struct td_allocation *a, bool active)
{
    const uint64_t end = a->address + (uint64_t)a->bytes;
    s->low = !s->count || a->address < s->low ? a->address : s->low;
    s->high = !s->count || end > s->high ? end : s->high;
    s->count++;
    s->bytes = td_wrap_add(s->bytes, a->bytes);
    s->active += active;
    s->active_bytes = active ? td_wrap_add(s->active_bytes, a->bytes) : s->active_bytes;
}

int td_memory_sums_make(struct td_memory_sums *sums, const struct td_memory_range *range, struct td_job *job)
{
    uint64_t first, end;
    struct usage_maker m = {.sums = sums, .changes_each = 1};
    struct releases freed = {0};
    td_memory_rows(range, &first, &end);
    *sums = (struct td_memory_sums){.usage = malloc(TD_USAGE_POINTS * sizeof *sums->usage)};
    int rc = sums->usage ? 0 : TD_E_NOMEM;
    for (uint64_t i = first; rc == 0 && i < end; i++) {
        const struct td_allocation a = td_allocation_get(range->trace, range->pool, i);
        if (is_stopped(job, i - first, end - first)) {
            rc = TD_E_STOPPED;
            break;
        }
        count_allocation(sums, &a, td_allocation_is_active(&a, range));
        free_until(&m, &freed, a.time_ns);
        change_usage(&m, a.time_ns, a.bytes);
        if (a.free_ns >= 0)
            rc = push_release(&freed, (struct release){a.free_ns, a.bytes});
    }
    if (rc == 0)
        free_until(&m, &freed, range->to_ns);
    free(freed.at);
    void *less = rc == 0 ? realloc(sums->usage, (sums->points + 1) * sizeof *sums->usage) : NULL;
    sums->usage = less ? less : sums->usage;
    return rc;
}

void td_memory_sums_free(struct td_memory_sums *sums)
{
    free(sums->usage);
    *sums = (struct td_memory_sums){0};
}

size_t td_usage_at(const struct td_memory_sums *sums, int64_t time_ns)
{
    size_t low = 0, high = sums->points;
    TD_BISECT(low, high, middle, sums->usage[middle].time_ns <= time_ns);
    return low ? low - 1 : SIZE_MAX;
}

bool td_usage_between(const struct td_memory_sums *sums, int64_t from_ns, int64_t to_ns, int64_t *low,
                      int64_t *high)
{
    size_t at = td_usage_at(sums, from_ns);
    const size_t end = td_usage_at(sums, to_ns);
    if (end == SIZE_MAX)
        return false;
    *low = at == SIZE_MAX ? 0 : sums->usage[at].last;
    *high = *low;
    for (at = at == SIZE_MAX ? 0 : at + 1; at <= end; at++) {
        *low = sums->usage[at].low < *low ? sums->usage[at].low : *low;
        *high = sums->usage[at].high > *high ? sums->usage[at].high : *high;
    }
    return true;
}

/* ---- call stacks ---- */

int td_memory_stacks_make(struct td_stack_counts *counts, const struct td_memory_range *range,
                          enum td_allocation_part part, struct td_job *job)
{
    uint64_t first, end;
    td_memory_rows(range, &first, &end);
    *counts = (struct td_stack_counts){
        .stacks = (size_t)td_series_count(td_trace_table(range->trace, TD_TABLE_STACK))};
    counts->at = calloc(counts->stacks + 1, sizeof *counts->at);
    counts->bytes = calloc(counts->stacks + 1, sizeof *counts->bytes);
    int rc = counts->at && counts->bytes ? 0 : TD_E_NOMEM;
    for (uint64_t i = first; rc == 0 && i < end; i++) {
        const struct td_allocation a = td_allocation_get(range->trace, range->pool, i);
        if (is_stopped(job, i - first, end - first))
            rc = TD_E_STOPPED;
        if (!td_allocation_is_in(&a, range, part) || a.stack >= counts->stacks)
            continue;
        counts->at[a.stack]++;
        counts->bytes[a.stack] = td_wrap_add(counts->bytes[a.stack], a.bytes);
    }
    return rc;
}
