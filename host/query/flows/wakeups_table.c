#include "host/query/flows/critical_table.h"
#include "host/base/grow.h"
#include "host/query/table/track_name.h"

#include <stdlib.h>

#define CHECK_EVERY 4096 /* rows between two looks at the job */

struct wakeup_rows {
    struct td_query_rows rows;
    struct td_switches switches;
    struct td_wake *list;
    size_t count, capacity;
};
#define ROWS struct wakeup_rows
#define WAKE (&r->list[i])

static struct td_query_value name_of(const struct wakeup_rows *r, uint64_t thread)
{
    return td_is_known(thread != 0, td_is_text(td_switches_thread_name(&r->switches, thread)));
}

/* clang-format off */
#define WAKEUP_COLUMNS(X)                                                                                               \
    X(time_ns,     "Woken",     TIME,     106, td_is_int(WAKE->woken_ns))                                               \
    X(thread,      "Thread",    ID,       84,  td_is_uint(WAKE->thread))                                                \
    X(name,        "Who waited", TEXT,    180, name_of(r, WAKE->thread))                                                \
    X(waited_ns,   "Waited",    DURATION, 100, td_is_int(WAKE->woken_ns - WAKE->stopped_ns))                            \
    X(waker,       "Waker",     ID,       84,  td_is_known(WAKE->waker != 0, td_is_uint(WAKE->waker)))                  \
    X(waker_name,  "Woken by",  TEXT,     0,   name_of(r, WAKE->waker))                                                 \
    X(how,         "By a",      TEXT,     76,  td_is_text(td_waker_word((enum td_waker_how)WAKE->how)))                 \
    X(cpu,         "On CPU",    ID,       70,  td_is_known(WAKE->waker != 0, td_is_uint(WAKE->cpu)))                    \
    X(delay_ns,    "Ran after", DURATION, 92,  td_is_int(WAKE->started_ns - WAKE->woken_ns))
/* clang-format on */
TD_QUERY_COLUMNS(WAKEUP_COLUMNS)

static int add_wakeups(struct wakeup_rows *r, uint64_t thread, const struct td_busy *runs)
{
    const struct td_query_request *of = &r->rows.of;
    struct td_wake wake;
    for (uint64_t i = td_busy_at(runs, of->from_ns); i < td_series_count(runs->rows); i++) {
        if (td_series_get(runs->rows, i, TD_SWITCH_WAKEUP) > of->to_ns)
            break;
        if (of->job && i % CHECK_EVERY == 0 && td_job_cancelled(of->job))
            return TD_E_STOPPED;
        if (td_wake_of(&r->switches, thread, runs, i, &wake) && wake.woken_ns >= of->from_ns &&
            TD_APPEND(r->list, r->count, r->capacity, wake) < 0)
            return TD_E_NOMEM;
    }
    return 0;
}

static int make_wakeups(struct td_query_rows *rows)
{
    struct wakeup_rows *r = (void *)rows;
    const struct td_series *threads = td_trace_table(rows->of.trace, TD_TABLE_SWITCH_THREAD);
    td_switches_init(&r->switches);
    int rc = td_switches_update(&r->switches, rows->of.trace, 0);
    for (uint64_t t = 0; rc >= 0 && t < r->switches.thread_count; t++) {
        if (rows->of.job)
            td_job_set_progress(rows->of.job, t, r->switches.thread_count);
        if (r->switches.threads[t].rows)
            rc = add_wakeups(r, (uint64_t)td_series_get(threads, t, TD_SWITCH_THREAD_THREAD),
                             &r->switches.threads[t]);
    }
    rows->count = r->count;
    return rc < 0 ? rc : 0;
}

static void free_wakeups(struct td_query_rows *rows)
{
    struct wakeup_rows *r = (void *)rows;
    td_switches_free(&r->switches);
    free(r->list);
}

/* The wait that it ended. */
static struct td_query_place place_of_wakeup(const struct td_query_rows *rows, uint64_t i)
{
    const ROWS *r = (const void *)rows;
    return td_at_range(td_switches_track(&r->switches, WAKE->thread), WAKE->stopped_ns, WAKE->started_ns);
}

const struct td_query_table td_table_wakeups = {
    .name = "wakeups",
    .about = "a wait of a thread that another thread, or a device, ended",
    TD_QUERY_WITH_COLUMNS,
    .make = make_wakeups,
    .free = free_wakeups,
    .place_of_row = place_of_wakeup,
};
