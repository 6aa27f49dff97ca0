/* The table of processes whose threads ran on the processors. */
#include "host/query/rows/cpu_load.h"
#include "host/query/table/tables.h"
#include "host/query/table/track_name.h"

struct cpu_process_rows {
    struct td_query_rows rows;
    struct td_cpu_loads loads;
};
#define ROWS struct cpu_process_rows
#define LOAD (&r->loads.at[i])

/* clang-format off */
#define CPU_PROCESS_COLUMNS(X)                                                                                           \
    X(process,    "Process",    ID,       84,  td_is_known(LOAD->is_process, td_is_uint(LOAD->id)))                      \
    X(program,    "Program",    TEXT,     0,   td_is_text(td_switches_program(&r->loads.names, LOAD->thread)))           \
    X(traced,     "Traced",     BOOL,     70,  td_is_bool(td_switches_runner(&r->loads.names, LOAD->thread) != TD_RUNNER_OTHER)) \
    X(threads,    "Threads",    COUNT,    84,  td_is_uint(LOAD->threads))                                                \
    X(running_ns, "Running",    DURATION, 100, td_is_int(LOAD->running_ns))                                              \
    X(share,      "Share",      SHARE,    84,  td_cpu_share(&r->loads, LOAD))                                            \
    X(runs,       "Runs",       COUNT,    84,  td_is_uint(LOAD->runs))                                                   \
    X(migrations, "Migrations", COUNT,    92,  td_is_uint(LOAD->migrations))                                             \
    X(longest_ns, "Longest",    DURATION, 92,  td_is_int(LOAD->longest_end_ns - LOAD->longest_start_ns))
/* clang-format on */
TD_QUERY_COLUMNS(CPU_PROCESS_COLUMNS)

static int make_cpu_processes(struct td_query_rows *rows)
{
    struct cpu_process_rows *r = (void *)rows;
    const int rc = td_cpu_loads_make(&r->loads, &rows->of, true);
    rows->count = r->loads.count;
    return rc;
}

TD_QUERY_FREES(free_cpu_processes, td_cpu_loads_free(&r->loads))

const struct td_cpu_load *td_cpu_process(const struct td_query_rows *rows, uint64_t i)
{
    const ROWS *r = (const void *)rows;
    return LOAD;
}

static struct td_query_place place_of_process(const struct td_query_rows *rows, uint64_t i)
{
    const ROWS *r = (const void *)rows;
    return td_at_range(TD_NO_TRACK, LOAD->longest_start_ns, LOAD->longest_end_ns);
}

const struct td_query_table td_table_cpu_processes = {
    .name = "cpu_processes",
    .about = "a process whose threads ran on processors",
    TD_QUERY_WITH_COLUMNS,
    .make = make_cpu_processes,
    .free = free_cpu_processes,
    .place_of_row = place_of_process,
};
