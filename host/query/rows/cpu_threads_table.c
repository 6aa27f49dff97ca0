/* The table of threads, of all programs, that ran on the processors. */
#include "host/query/rows/cpu_load.h"
#include "host/query/table/tables.h"

#include <stdlib.h>

struct cpu_thread_rows {
    struct td_query_rows rows;
    struct td_cpu_loads loads;
};
#define ROWS struct cpu_thread_rows
#define LOAD (&r->loads.at[i])

static const char *kind_of(const struct cpu_thread_rows *r, uint64_t thread)
{
    static const char *const kinds[] = {
        [TD_RUNNER_OTHER] = "other", [TD_RUNNER_OWN] = "program", [TD_RUNNER_TRACK] = "track"};
    return kinds[td_switches_runner(&r->loads.names, thread)];
}

static uint64_t process_of(const struct cpu_thread_rows *r, uint64_t thread)
{
    return td_switches_process(&r->loads.names, thread);
}

/* clang-format off */
#define CPU_THREAD_COLUMNS(X)                                                                                            \
    X(thread,     "Thread",     ID,       84,  td_is_uint(LOAD->id))                                                     \
    X(name,       "Name",       TEXT,     0,   td_is_text(td_switches_thread_name(&r->loads.names, LOAD->id)))           \
    X(program,    "Program",    TEXT,     160, td_is_text(td_switches_program(&r->loads.names, LOAD->id)))               \
    X(process,    "Process",    ID,       84,  td_is_known(process_of(r, LOAD->id) != 0, td_is_uint(process_of(r, LOAD->id)))) \
    X(kind,       "Kind",       TEXT,     76,  td_is_text(kind_of(r, LOAD->id)))                                         \
    X(running_ns, "Running",    DURATION, 100, td_is_int(LOAD->running_ns))                                              \
    X(share,      "Share",      SHARE,    84,  td_cpu_share(&r->loads, LOAD))                                            \
    X(runs,       "Runs",       COUNT,    84,  td_is_uint(LOAD->runs))                                                   \
    X(migrations, "Migrations", COUNT,    92,  td_is_uint(LOAD->migrations))                                             \
    X(longest_ns, "Longest",    DURATION, 92,  td_is_int(LOAD->longest_end_ns - LOAD->longest_start_ns))
/* clang-format on */
TD_QUERY_COLUMNS(CPU_THREAD_COLUMNS)

static int make_cpu_threads(struct td_query_rows *rows)
{
    struct cpu_thread_rows *r = (void *)rows;
    const int rc = td_cpu_loads_make(&r->loads, &rows->of, false);
    const struct td_cpu_wanted *wanted = rows->of.with;
    for (size_t i = 0; !rc && i < r->loads.count; i++) {
        const struct td_cpu_load load = r->loads.at[i];
        if (!wanted || !wanted->only || (wanted->is_process ? process_of(r, load.id) : load.id) == wanted->id)
            r->loads.at[rows->count++] = load;
    }
    return rc;
}

TD_QUERY_FREES(free_cpu_threads, td_cpu_loads_free(&r->loads))

const struct td_cpu_load *td_cpu_thread(const struct td_query_rows *rows, uint64_t i)
{
    const ROWS *r = (const void *)rows;
    return LOAD;
}

static struct td_query_place place_of_thread(const struct td_query_rows *rows, uint64_t i)
{
    const ROWS *r = (const void *)rows;
    return td_at_range(td_switches_track(&r->loads.names, LOAD->id), LOAD->longest_start_ns,
                       LOAD->longest_end_ns);
}

const struct td_query_table td_table_cpu_threads = {
    .name = "cpu_threads",
    .about = "a thread of any program that ran on a processor",
    TD_QUERY_WITH_COLUMNS,
    .make = make_cpu_threads,
    .free = free_cpu_threads,
    .free_with = free,
    .place_of_row = place_of_thread,
};
