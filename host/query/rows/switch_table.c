/* The table of threads with known context switches. */
#include "host/base/wrap.h"
#include "host/query/table/tables.h"
#include "host/trace/tables.h"

#include <stdlib.h>

struct switch_rows {
    struct td_query_rows rows;
    struct switch_sums {
        int64_t running_ns, waiting_ns, woken_ns;
        uint64_t migrations;
    } * of;
};
#define ROWS struct switch_rows

/* Runs that began before the recording are left out. */
static struct switch_sums sum_switches(const struct td_series *list)
{
    struct switch_sums sums = {0};
    int64_t row[TD_SWITCH_COLUMN_COUNT], end_before = -1, cpu_before = 0;
    for (uint64_t i = 0; i < td_series_count(list); i++) {
        td_series_row(list, i, row);
        const int64_t start = row[TD_SWITCH_START], end = row[TD_SWITCH_END], wakeup = row[TD_SWITCH_WAKEUP];
        sums.running_ns = td_wrap_add(sums.running_ns, end > start && start >= 0 ? end - start : 0);
        if (end_before >= 0 && start >= end_before)
            sums.waiting_ns = td_wrap_add(sums.waiting_ns, td_wrap_sub(start, end_before));
        if (wakeup >= 0 && start > wakeup)
            sums.woken_ns = td_wrap_add(sums.woken_ns, td_wrap_sub(start, wakeup));
        sums.migrations += i && row[TD_SWITCH_CPU] != cpu_before;
        end_before = end;
        cpu_before = row[TD_SWITCH_CPU];
    }
    return sums;
}

static const struct td_series *switches_of(const struct td_query_rows *rows, uint64_t thread)
{
    return td_trace_list(rows->of.trace, TD_TABLE_SWITCH, thread);
}

static uint64_t thread_id(const struct td_query_rows *rows, uint64_t thread)
{
    return (uint64_t)td_series_get(td_trace_table(rows->of.trace, TD_TABLE_SWITCH_THREAD), thread,
                                   TD_SWITCH_THREAD_THREAD);
}

/* clang-format off */
#define SWITCH_COLUMNS(X)                                                                                                \
    X(thread,     "Thread",     ID,       92, td_is_uint(thread_id(rows, i)))                                            \
    X(count,      "Runs",       COUNT,    84, td_is_uint(td_series_count(switches_of(rows, i))))                         \
    X(running_ns, "Running",    DURATION, 92, td_is_int(r->of[i].running_ns))                                            \
    X(waiting_ns, "Waiting",    DURATION, 92, td_is_int(r->of[i].waiting_ns))                                            \
    X(woken_ns,   "Woken",      DURATION, 92, td_is_int(r->of[i].woken_ns))                                              \
    X(migrations, "Migrations", COUNT,    84, td_is_uint(r->of[i].migrations))
/* clang-format on */
TD_QUERY_COLUMNS(SWITCH_COLUMNS)

static int make_switches(struct td_query_rows *rows)
{
    struct switch_rows *r = (void *)rows;
    rows->count = td_series_count(td_trace_table(rows->of.trace, TD_TABLE_SWITCH_THREAD));
    r->of = calloc(rows->count + 1, sizeof *r->of);
    for (uint64_t t = 0; r->of && t < rows->count; t++)
        r->of[t] = sum_switches(switches_of(rows, t));
    return r->of ? 0 : TD_E_NOMEM;
}

TD_QUERY_FREES(free_switches, free(r->of))

const struct td_query_table td_table_context_switches = {
    .name = "context_switches",
    .about = "a thread with known context switches",
    TD_QUERY_WITH_COLUMNS,
    .make = make_switches,
    .free = free_switches,
};
