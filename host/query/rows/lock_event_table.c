#include "host/query/table/list_rows.h"
#include "host/query/table/tables.h"

struct lock_event_rows {
    struct td_query_rows rows;
    struct td_list_rows lists;
};
#define ROWS struct lock_event_rows

static uint64_t lock_of(const struct lock_event_rows *r, uint64_t i)
{
    return td_list_rows_find(&r->lists, &i);
}

static int64_t event_cell(const struct lock_event_rows *r, uint64_t i, unsigned column)
{
    const uint64_t lock = td_list_rows_find(&r->lists, &i);
    return td_series_get(td_trace_list(r->rows.of.trace, TD_TABLE_LOCK_EVENT, lock), i, column);
}

static int64_t lock_cell(const struct lock_event_rows *r, uint64_t i, unsigned column)
{
    const struct td_series *locks = td_trace_table(r->rows.of.trace, TD_TABLE_LOCK);
    const uint64_t lock = lock_of(r, i);
    return lock < td_series_count(locks) ? td_series_get(locks, lock, column) : 0;
}

/* The name that the program gave the lock, else that of its declaration. */
static const char *lock_name(const struct lock_event_rows *r, uint64_t i)
{
    const char *name = td_dict_text(r->rows.dict, (uint32_t)lock_cell(r, i, TD_LOCK_NAME));
    return *name ? name : td_dict_zone_name(r->rows.dict, (uint32_t)lock_cell(r, i, TD_LOCK_SRCLOC));
}

static const char *kind_name(int64_t kind)
{
    static const char *const names[] = {"wait",        "obtain",        "release",
                                        "shared wait", "shared obtain", "shared release"};
    return kind >= 0 && (size_t)kind < sizeof names / sizeof *names ? names[kind] : "?";
}

static struct td_query_value thread_at(const struct lock_event_rows *r, uint64_t i)
{
    const struct td_series *threads = td_trace_list(r->rows.of.trace, TD_TABLE_LOCK_THREAD, lock_of(r, i));
    const uint64_t thread = (uint64_t)event_cell(r, i, TD_LOCK_EVENT_THREAD);
    if (thread >= td_series_count(threads))
        return td_is_known(false, td_is_uint(0));
    return td_is_uint((uint64_t)td_series_get(threads, thread, TD_LOCK_THREAD_THREAD));
}

static struct td_query_value place_at(const struct lock_event_rows *r, uint64_t i, char *room)
{
    const struct td_srcloc *place =
        td_dict_get_srcloc(r->rows.dict, (uint32_t)event_cell(r, i, TD_LOCK_EVENT_SRCLOC));
    return td_is_place(td_dict_text(r->rows.dict, place->file), place->line, room);
}

/* clang-format off */
#define LOCK_EVENT_COLUMNS(X)                                                                       \
    X(lock_id, "Id",     ID,   60,  td_is_int(lock_cell(r, i, TD_LOCK_ID)))                         \
    X(lock,    "Lock",   TEXT, 0,   td_is_text(lock_name(r, i)))                                    \
    X(time_ns, "Time",   TIME, 106, td_is_int(event_cell(r, i, TD_LOCK_EVENT_TIME)))                \
    X(kind,    "Event",  TEXT, 100, td_is_text(kind_name(event_cell(r, i, TD_LOCK_EVENT_KIND))))    \
    X(thread,  "Thread", ID,   92,  thread_at(r, i))                                                \
    X(source,  "Source", TEXT, 190, place_at(r, i, room))
/* clang-format on */
TD_QUERY_COLUMNS(LOCK_EVENT_COLUMNS)

static int make_events(struct td_query_rows *rows)
{
    return td_list_rows_make(&((struct lock_event_rows *)rows)->lists, rows->of.trace, TD_TABLE_LOCK_EVENT,
                             &rows->count);
}

TD_QUERY_FREES(free_events, td_list_rows_free(&r->lists))

const struct td_query_table td_table_lock_events = {
    .name = "lock_events",
    .about = "a thread waits for a lock, obtains or releases it",
    TD_QUERY_WITH_COLUMNS,
    .make = make_events,
    .free = free_events,
};
