#include "host/query/rows/allocations.h"
#include "host/base/sorted.h"
#include "host/base/grow.h"
#include "host/base/wrap.h"
#include "host/event/map.h"
#include "host/query/code/stack_text.h"
#include "host/query/rows/fiber_at.h"
#include "host/query/sums/zone_at.h"
#include "host/query/table/track_name.h"

#include <stdlib.h>

#define CHECK_EVERY  8192 /* rows between two looks at whether the job is cancelled */
#define ROW_BITS     40   /* of an element of `at`; above them is the pool */
#define STACK_FRAMES 4

struct allocation_rows {
    struct td_query_rows rows;
    uint64_t *at;
    size_t capacity;
    int64_t bytes;
    struct td_map track_of; /* by thread */
    struct td_fiber_runs fibers;
};
#define ROWS         struct allocation_rows
#define A            td_allocations_at(rows, i)
#define CELL(column) cell(r, i, TD_MEMORY_##column)

static uint32_t pool_of(const struct allocation_rows *r, uint64_t i)
{
    return (uint32_t)(r->at[i] >> ROW_BITS);
}

static uint64_t row_of(const struct allocation_rows *r, uint64_t i)
{
    return r->at[i] & ((UINT64_C(1) << ROW_BITS) - 1);
}

static int64_t cell(const struct allocation_rows *r, uint64_t i, unsigned column)
{
    return td_series_get(td_trace_list(r->rows.of.trace, TD_TABLE_MEMORY, pool_of(r, i)), row_of(r, i),
                         column);
}

struct td_allocation td_allocations_at(const struct td_query_rows *rows, uint64_t i)
{
    const struct allocation_rows *r = (const void *)rows;
    return td_allocation_get(rows->of.trace, pool_of(r, i), row_of(r, i));
}

uint64_t td_allocations_find(const struct td_query_rows *rows, uint64_t row)
{
    const struct allocation_rows *r = (const void *)rows;
    uint64_t low = 0, high = rows->count;
    TD_BISECT(low, high, i, row_of(r, i) < row);
    return low < rows->count && row_of(r, low) == row ? low : rows->count;
}

int64_t td_allocations_bytes(const struct td_query_rows *rows)
{
    return ((const struct allocation_rows *)rows)->bytes;
}

static uint32_t track_of(const struct td_query_rows *rows, uint64_t thread)
{
    return td_map_get(&((const struct allocation_rows *)rows)->track_of, thread, TD_NO_TRACK);
}

struct td_zone_ref td_allocations_zone(const struct td_query_rows *rows, uint64_t thread, int64_t time_ns)
{
    const struct allocation_rows *r = (const void *)rows;
    const uint32_t track = track_of(rows, thread);
    if (track == TD_NO_TRACK)
        return TD_NO_ZONE;
    return td_zone_at(rows->of.trace, td_fiber_at(&r->fibers, track, time_ns), time_ns);
}

const char *td_allocations_thread(const struct td_query_rows *rows, uint64_t thread, char *room, size_t bytes)
{
    char name[TD_TRACK_NAME_BYTES];
    const uint32_t track = track_of(rows, thread);
    if (track == TD_NO_TRACK)
        snprintf(room, bytes, "%" PRIu64, thread);
    else
        snprintf(room, bytes, "%s", td_track_name(rows->dict, track, name));
    return room;
}

static struct td_query_value is_address(uint64_t address, char *room)
{
    snprintf(room, TD_QUERY_ROOM, "0x%" PRIx64, address);
    return td_is_text(room);
}

static struct td_query_value is_threads(const struct td_query_rows *rows, struct td_allocation a, char *room)
{
    td_allocations_thread(rows, a.thread, room, 80);
    const size_t used = strlen(room);
    if (a.free_ns >= 0 && a.free_thread != a.thread) {
        memcpy(room + used, " / ", 4);
        td_allocations_thread(rows, a.free_thread, room + used + 3, 80);
    }
    return td_is_text(room);
}

static struct td_query_value is_zone(const struct td_query_rows *rows, uint64_t thread, int64_t time_ns)
{
    const struct td_zone_ref ref = td_allocations_zone(rows, thread, time_ns);
    if (!td_ref_valid(ref))
        return td_is_said("-");
    const struct td_zone zone = td_trace_zone(rows->of.trace, ref.track, ref.row, ref.index);
    return td_is_text(td_zone_label(rows->dict, &zone));
}

static int64_t duration(const struct allocation_rows *r, uint64_t i)
{
    return td_wrap_sub(CELL(FREE_TIME) < 0 ? r->rows.of.now_ns : CELL(FREE_TIME), CELL(TIME));
}

static struct td_query_value free_zone(const struct td_query_rows *rows, struct td_allocation a)
{
    return a.free_ns < 0 ? td_is_said("active") : is_zone(rows, a.free_thread, a.free_ns);
}

static struct td_query_value stack_of(const struct td_query_rows *rows, uint32_t stack, char *room)
{
    return td_is_text(td_stack_text(rows->of.trace, stack, " < ", STACK_FRAMES, room, TD_QUERY_ROOM));
}

/* clang-format off */
#define ALLOCATION_COLUMNS(X)                                                                                        \
    X(pool,        "Pool",        TEXT,     100, td_is_text(td_memory_pool_name(rows->of.trace, pool_of(r, i))))     \
    X(address,     "Address",     TEXT,     134, is_address((uint64_t)CELL(ADDRESS), room))                          \
    X(bytes,       "Size",        BYTES,    92,  td_is_int(CELL(SIZE)))                                              \
    X(time_ns,     "Appeared at", TIME,     112, td_is_int(CELL(TIME)))                                              \
    X(duration_ns, "Duration",    DURATION, 96,  td_is_int(duration(r, i)))                                          \
    X(threads,     "Thread",      TEXT,     150, is_threads(rows, A, room))                                 \
    X(zone,        "Zone alloc",  TEXT,     150, is_zone(rows, (uint64_t)CELL(THREAD), CELL(TIME)))                  \
    X(free_zone,   "Zone free",   TEXT,     150, free_zone(rows, A))                                        \
    X(stack,       "Call stack",  TEXT,     0,   stack_of(rows, (uint32_t)CELL(STACK), room))                        \
    X(free_ns,     "Freed at",    TIME,     112, td_is_known(CELL(FREE_TIME) >= 0, td_is_int(CELL(FREE_TIME))))      \
    X(thread,      "Thread id",   ID,       92,  td_is_uint((uint64_t)CELL(THREAD)))                                 \
    X(free_thread, "Freed by id", ID,       92,                                                                      \
      td_is_known(CELL(FREE_TIME) >= 0, td_is_uint((uint64_t)CELL(FREE_THREAD))))
/* clang-format on */
TD_QUERY_COLUMNS(ALLOCATION_COLUMNS)

static bool allocation_passes(const struct td_allocations_wanted *w, const struct td_memory_range *range,
                              const struct td_allocation *a)
{
    return !w || (td_allocation_is_in(a, range, w->part) &&
                  (!w->at || (w->address >= a->address &&
                              w->address - a->address < (uint64_t)(a->bytes > 0 ? a->bytes : 1))) &&
                  (!w->stack_count || (a->stack < w->stack_count && w->stacks[a->stack])));
}

static int list_pool(struct allocation_rows *r, uint32_t pool)
{
    const struct td_query_request *of = &r->rows.of;
    const struct td_memory_range range = {of->trace, pool, of->from_ns, of->to_ns};
    uint64_t first, end;
    td_memory_rows(&range, &first, &end);
    for (uint64_t i = first; i < end; i++) {
        const struct td_allocation a = td_allocation_get(of->trace, pool, i);
        if (of->job && i % CHECK_EVERY == 0) {
            td_job_set_progress(of->job, i - first, end - first);
            if (td_job_cancelled(of->job))
                return TD_E_STOPPED;
        }
        if (!allocation_passes(of->with, &range, &a))
            continue;
        if (TD_APPEND(r->at, r->rows.count, r->capacity, (uint64_t)pool << ROW_BITS | i) < 0)
            return TD_E_NOMEM;
        r->bytes = td_wrap_add(r->bytes, a.bytes);
    }
    return 0;
}

static int make_allocations(struct td_query_rows *rows)
{
    struct allocation_rows *r = (void *)rows;
    const struct td_allocations_wanted *wanted = rows->of.with;
    const uint64_t pools = td_series_count(td_trace_table(rows->of.trace, TD_TABLE_POOL));
    int rc = td_fiber_runs_build(&r->fibers, rows->of.trace);
    for (uint32_t t = 0; rc == 0 && t < td_dict_track_count(rows->dict); t++) {
        const struct td_track *track = td_dict_get_track(rows->dict, t);
        rc = track->context || td_map_add(&r->track_of, track->thread, t) >= 0 ? 0 : TD_E_NOMEM;
    }
    for (uint64_t p = wanted ? wanted->pool : 0; rc == 0 && p < (wanted ? wanted->pool + 1 : pools); p++)
        rc = list_pool(r, (uint32_t)p);
    return rc;
}

static void free_allocations(struct td_query_rows *rows)
{
    struct allocation_rows *r = (void *)rows;
    free(r->at);
    td_map_finish(&r->track_of);
    td_fiber_runs_free(&r->fibers);
}

static struct td_query_place place_of_allocation(const struct td_query_rows *rows, uint64_t i)
{
    const struct td_allocation a = A;
    return td_at_range(TD_NO_TRACK, a.time_ns, a.free_ns < 0 ? rows->of.now_ns : a.free_ns);
}

const struct td_query_table td_table_allocations = {
    .name = "allocations",
    .about = "an allocation of memory",
    TD_QUERY_WITH_COLUMNS,
    .make = make_allocations,
    .free = free_allocations,
    .free_with = free,
    .place_of_row = place_of_allocation,
    .lines = "address bytes time_ns free_ns thread free_thread",
};
