#include "host/query/flows/critical_table.h"
#include "host/query/table/track_name.h"

#include <stdlib.h>

struct critical_rows {
    struct td_query_rows rows;
    struct td_switches switches;
    struct td_critical path;
};
#define ROWS struct critical_rows
#define PART (&r->path.parts[i])

static const char *reason_of(const struct td_critical_part *part)
{
    return part->state == TD_CRITICAL_WAITS ? td_switch_reason(part->reason, part->wait_state) : "";
}

/* clang-format off */
#define CRITICAL_COLUMNS(X)                                                                                             \
    X(time_ns,     "Start",    TIME,     106, td_is_int(PART->start_ns))                                                \
    X(duration_ns, "Duration", DURATION, 100, td_is_int(PART->end_ns - PART->start_ns))                                 \
    X(thread,      "Thread",   ID,       84,  td_is_uint(PART->thread))                                                 \
    X(name,        "Name",     TEXT,     0,   td_is_text(td_switches_thread_name(&r->switches, PART->thread)))          \
    X(state,       "It",       TEXT,     70,  td_is_text(td_critical_word((enum td_critical_state)PART->state)))        \
    X(reason,      "Because it", TEXT,   140, td_is_text(reason_of(PART)))                                              \
    X(cpu,         "CPU",      ID,       60,  td_is_known(PART->state == TD_CRITICAL_RUNS, td_is_uint(PART->cpu)))      \
    X(wakes,       "Wakes thread", ID,   84,  td_is_known(PART->wakes != 0, td_is_uint(PART->wakes)))                   \
    X(wakes_name,  "Wakes",    TEXT,     160, td_is_text(PART->wakes ? td_switches_thread_name(&r->switches, PART->wakes) : "")) \
    X(likely,      "Likely",   BOOL,     60,  td_is_bool(PART->likely))
/* clang-format on */
TD_QUERY_COLUMNS(CRITICAL_COLUMNS)

/* The program's main thread, whose number is that of the process, else the first one that ran. */
static uint64_t main_thread(const struct critical_rows *r)
{
    const struct td_series *threads = td_trace_table(r->rows.of.trace, TD_TABLE_SWITCH_THREAD);
    const uint64_t pid = td_trace_get_info(r->rows.of.trace)->pid;
    uint64_t first = 0;
    for (uint64_t i = 0; i < td_series_count(threads); i++) {
        const uint64_t thread = (uint64_t)td_series_get(threads, i, TD_SWITCH_THREAD_THREAD);
        if (thread == pid)
            return thread;
        first = first || !r->switches.threads[i].rows ? first : thread;
    }
    return first;
}

static int make_critical(struct td_query_rows *rows)
{
    struct critical_rows *r = (void *)rows;
    const struct td_query_request *of = &rows->of;
    const struct td_critical_wanted *wanted = of->with;
    td_switches_init(&r->switches);
    int rc = td_switches_update(&r->switches, of->trace, 0);
    if (rc < 0)
        return rc;
    const uint64_t thread = wanted ? wanted->thread : main_thread(r);
    rc = thread ? td_critical_make(&r->path, &r->switches, thread, of->from_ns > 0 ? of->from_ns : 0,
                                   of->to_ns, of->now_ns, of->job)
                : 0;
    rows->count = r->path.count;
    return rc;
}

static void free_critical(struct td_query_rows *rows)
{
    struct critical_rows *r = (void *)rows;
    td_switches_free(&r->switches);
    td_critical_free(&r->path);
}

static struct td_query_place place_of_part(const struct td_query_rows *rows, uint64_t i)
{
    const ROWS *r = (const void *)rows;
    return td_at_range(td_switches_track(&r->switches, PART->thread), PART->start_ns, PART->end_ns);
}

const struct td_query_table td_table_critical_path = {
    .name = "critical_path",
    .about = "a part of what the program's main thread did or waited for",
    TD_QUERY_WITH_COLUMNS,
    .make = make_critical,
    .free = free_critical,
    .free_with = free,
    .place_of_row = place_of_part,
};
