#include "host/query/rows/switches.h"
#include "host/query/table/list_rows.h"
#include "host/query/table/tables.h"

struct switches_rows {
    struct td_query_rows rows;
    struct td_list_rows lists;
};
#define ROWS struct switches_rows

static int64_t switch_cell(const struct switches_rows *r, uint64_t i, unsigned column)
{
    const uint64_t thread = td_list_rows_find(&r->lists, &i);
    return td_series_get(td_trace_list(r->rows.of.trace, TD_TABLE_SWITCH, thread), i, column);
}

static struct td_query_value thread_at(const struct switches_rows *r, uint64_t i)
{
    const struct td_series *threads = td_trace_table(r->rows.of.trace, TD_TABLE_SWITCH_THREAD);
    const uint64_t thread = td_list_rows_find(&r->lists, &i);
    if (thread >= td_series_count(threads))
        return td_is_known(false, td_is_uint(0));
    return td_is_uint((uint64_t)td_series_get(threads, thread, TD_SWITCH_THREAD_THREAD));
}

static struct td_query_value time_at(const struct switches_rows *r, uint64_t i, unsigned column)
{
    const int64_t time_ns = switch_cell(r, i, column);
    return td_is_known(time_ns != TD_UNKNOWN_NS, td_is_int(time_ns));
}

static struct td_query_value length_at(const struct switches_rows *r, uint64_t i)
{
    const int64_t start_ns = switch_cell(r, i, TD_SWITCH_START), end_ns = switch_cell(r, i, TD_SWITCH_END);
    return td_is_known(start_ns != TD_UNKNOWN_NS && end_ns >= start_ns, td_is_int(end_ns - start_ns));
}

static struct td_query_value cpu_at(const struct switches_rows *r, uint64_t i)
{
    const int64_t cpu = switch_cell(r, i, TD_SWITCH_CPU);
    return td_is_known(cpu >= 0, td_is_int(cpu));
}

static const char *reason_at(const struct switches_rows *r, uint64_t i)
{
    return td_switch_reason(switch_cell(r, i, TD_SWITCH_REASON), switch_cell(r, i, TD_SWITCH_STATE));
}

/* clang-format off */
#define SWITCHES_COLUMNS(X)                                                         \
    X(thread,      "Thread",   ID,       92,  thread_at(r, i))                      \
    X(wakeup_ns,   "Woken",    TIME,     106, time_at(r, i, TD_SWITCH_WAKEUP))      \
    X(start_ns,    "Start",    TIME,     106, time_at(r, i, TD_SWITCH_START))       \
    X(end_ns,      "End",      TIME,     106, time_at(r, i, TD_SWITCH_END))         \
    X(duration_ns, "Duration", DURATION, 92,  length_at(r, i))                      \
    X(cpu,         "CPU",      ID,       60,  cpu_at(r, i))                         \
    X(reason,      "Reason",   TEXT,     0,   td_is_text(reason_at(r, i)))
/* clang-format on */
TD_QUERY_COLUMNS(SWITCHES_COLUMNS)

static int make_switches(struct td_query_rows *rows)
{
    return td_list_rows_make(&((struct switches_rows *)rows)->lists, rows->of.trace, TD_TABLE_SWITCH,
                             &rows->count);
}

TD_QUERY_FREES(free_switches, td_list_rows_free(&r->lists))

const struct td_query_table td_table_switches = {
    .name = "switches",
    .about = "a time in which a thread ran, and why it stopped",
    TD_QUERY_WITH_COLUMNS,
    .make = make_switches,
    .free = free_switches,
};
