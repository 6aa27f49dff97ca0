/* The table of locks. */
#include "host/query/rows/lock_sums.h"
#include "host/query/table/tables.h"
#include "host/query/table/track_name.h"
#include "host/trace/tables.h"

struct lock_rows {
    struct td_query_rows rows;
    struct td_lock_sums sums;
};
#define ROWS struct lock_rows

static int64_t lock_cell(const struct lock_rows *r, uint64_t lock, unsigned column)
{
    return td_series_get(td_trace_table(r->rows.of.trace, TD_TABLE_LOCK), lock, column);
}

static const struct td_srcloc *lock_location(const struct lock_rows *r, uint64_t lock)
{
    return td_dict_get_srcloc(r->rows.dict, (uint32_t)lock_cell(r, lock, TD_LOCK_SRCLOC));
}

static const char *declared_name(const struct lock_rows *r, uint64_t lock)
{
    return td_dict_zone_name(r->rows.dict, (uint32_t)lock_cell(r, lock, TD_LOCK_SRCLOC));
}

/* The name that the program gave it, else that of its declaration. */
static const char *lock_name(const struct lock_rows *r, uint64_t lock)
{
    const char *name = td_dict_text(r->rows.dict, (uint32_t)lock_cell(r, lock, TD_LOCK_NAME));
    return *name ? name : declared_name(r, lock);
}

static struct td_query_value lock_source(const struct lock_rows *r, uint64_t lock, char *room)
{
    const struct td_srcloc *location = lock_location(r, lock);
    return td_is_place(td_dict_text(r->rows.dict, location->file), location->line, room);
}

static int64_t lock_lifetime(const struct lock_rows *r, uint64_t lock)
{
    const int64_t end = lock_cell(r, lock, TD_LOCK_TERMINATED);
    return (end ? end : r->rows.of.now_ns) - lock_cell(r, lock, TD_LOCK_ANNOUNCED);
}

/* clang-format off */
#define LOCK_COLUMNS(X)                                                                                                 \
    X(id,              "Id",           ID,       60,  td_is_int(lock_cell(r, i, TD_LOCK_ID)))                           \
    X(name,            "Name",         TEXT,     0,   td_is_string(rows->dict, lock_cell(r, i, TD_LOCK_NAME)))          \
    X(location,        "Declaration",  TEXT,     0,   td_is_text(declared_name(r, i)))                                  \
    X(lock,            "Lock",         TEXT,     0,   td_is_text(lock_name(r, i)))                                      \
    X(file,            "File",         TEXT,     190, td_is_text(td_dict_text(rows->dict, lock_location(r, i)->file)))  \
    X(line,            "Line",         ID,       60,  td_is_uint(lock_location(r, i)->line))                            \
    X(kind,            "Kind",         TEXT,     66,                                                                    \
      td_is_text(lock_cell(r, i, TD_LOCK_TYPE) == 1 ? "shared" : "mutex"))                                              \
    X(shared,          "Shared",       BOOL,     66,  td_is_bool(lock_cell(r, i, TD_LOCK_TYPE) == 1))                   \
    X(valid,           "Valid",        BOOL,     66,  td_is_bool(lock_cell(r, i, TD_LOCK_VALID) != 0))                  \
    X(announced_ns,    "Announced",    TIME,     106, td_is_int(lock_cell(r, i, TD_LOCK_ANNOUNCED)))                    \
    X(terminated_ns,   "Terminated",   TIME,     106,                                                                   \
      td_is_known(lock_cell(r, i, TD_LOCK_TERMINATED) != 0, td_is_int(lock_cell(r, i, TD_LOCK_TERMINATED))))                      \
    X(lifetime_ns,     "Lifetime",     DURATION, 92,  td_is_int(lock_lifetime(r, i)))                                   \
    X(threads,         "All threads",  COUNT,    66,                                                                    \
      td_is_uint(td_series_count(td_trace_list(rows->of.trace, TD_TABLE_LOCK_THREAD, i))))                              \
    X(active_threads,  "Threads",      COUNT,    66,  td_is_int(__builtin_popcountll(r->sums.of[i].threads)))           \
    X(events,          "Events",       COUNT,    80,  td_is_uint(td_lock_sum_events(&r->sums.of[i])))                   \
    X(waits,           "Own waits",    COUNT,    76,  td_is_uint(r->sums.of[i].events[0]))                              \
    X(obtains,         "Own obtains",  COUNT,    76,  td_is_uint(r->sums.of[i].events[1]))                              \
    X(releases,        "Own releases", COUNT,    76,  td_is_uint(r->sums.of[i].events[2]))                              \
    X(shared_waits,    "Shared waits", COUNT,    76,  td_is_uint(r->sums.of[i].events[3]))                              \
    X(shared_obtains,  "Shared obtains",  COUNT, 76,  td_is_uint(r->sums.of[i].events[4]))                              \
    X(shared_releases, "Shared releases", COUNT, 76,  td_is_uint(r->sums.of[i].events[5]))                              \
    X(all_waits,       "Waits",        COUNT,    76,  td_is_uint(r->sums.of[i].events[0] + r->sums.of[i].events[3]))    \
    X(all_obtains,     "Obtained",     COUNT,    80,  td_is_uint(r->sums.of[i].events[1] + r->sums.of[i].events[4]))    \
    X(waited_ns,       "Waited",       DURATION, 92,  td_is_int(r->sums.of[i].waited_ns))                               \
    X(longest_ns,      "Longest wait", DURATION, 96,  td_is_int(r->sums.of[i].longest_ns))                              \
    X(held_ns,         "Held",         DURATION, 92,  td_is_int(r->sums.of[i].held_ns))                                 \
    X(contended_ns,    "Contended",    DURATION, 92,  td_is_int(r->sums.of[i].contended_ns))                            \
    X(longest_at_ns,   "Longest at",   TIME,     106,                                                                   \
      td_is_known(r->sums.of[i].longest_ns != 0, td_is_int(r->sums.of[i].longest_at_ns)))                               \
    X(source,          "Source",       TEXT,     190, lock_source(r, i, room))
/* clang-format on */
TD_QUERY_COLUMNS(LOCK_COLUMNS)

static int make_locks(struct td_query_rows *rows)
{
    struct lock_rows *r = (void *)rows;
    const struct td_query_request *of = &rows->of;
    const int rc = td_lock_sums_make(&r->sums, of->trace, of->from_ns, of->to_ns, of->now_ns, of->job);
    rows->count = r->sums.locks;
    return rc;
}

TD_QUERY_FREES(free_locks, td_lock_sums_free(&r->sums))

/* The longest wait. */
static struct td_query_place place_of_lock(const struct td_query_rows *rows, uint64_t lock)
{
    const struct td_lock_sum *sum = &((const struct lock_rows *)rows)->sums.of[lock];
    return (struct td_query_place){.kind = sum->longest_ns ? TD_AT_RANGE : TD_AT_NOTHING,
                                   .track = TD_NO_TRACK,
                                   .start_ns = sum->longest_at_ns,
                                   .end_ns = sum->longest_at_ns + sum->longest_ns};
}

const struct td_query_table td_table_locks = {
    .name = "locks",
    .about = "a lock of the program",
    TD_QUERY_WITH_COLUMNS,
    .make = make_locks,
    .free = free_locks,
    .place_of_row = place_of_lock,
    .json = "id name location file line shared valid announced_ns terminated_ns threads events waits obtains "
            "releases shared_waits shared_obtains shared_releases",
    .lines = "id lock kind waited_ns longest_ns held_ns contended_ns waits=all_waits obtained=all_obtains "
             "threads=active_threads events announced_ns lifetime_ns file line",
};
