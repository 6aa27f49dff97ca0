/* The table of processors that ran threads. */
#include "host/query/table/tables.h"
#include "host/trace/tables.h"

#include <stdlib.h>

struct cpu_rows {
    struct td_query_rows rows;
    uint64_t *cpu;
};
#define ROWS struct cpu_rows

static uint64_t cpu_runs(const struct td_query_rows *rows, uint64_t cpu)
{
    return td_series_count(td_trace_list(rows->of.trace, TD_TABLE_CPU_SWITCH, cpu));
}

/* clang-format off */
#define CPU_COLUMNS(X)                                                                                                   \
    X(cpu,      "Processor", ID,    76, td_is_uint(r->cpu[i]))                                                           \
    X(switches, "Runs",      COUNT, 84, td_is_uint(cpu_runs(rows, r->cpu[i])))
/* clang-format on */
TD_QUERY_COLUMNS(CPU_COLUMNS)

static int make_cpus(struct td_query_rows *rows)
{
    struct cpu_rows *r = (void *)rows;
    const uint64_t cpus = td_trace_lists(rows->of.trace, TD_TABLE_CPU_SWITCH);
    r->cpu = calloc(cpus + 1, sizeof *r->cpu);
    if (!r->cpu)
        return TD_E_NOMEM;
    for (uint64_t cpu = 0; cpu < cpus; cpu++)
        if (cpu_runs(rows, cpu))
            r->cpu[rows->count++] = cpu;
    return 0;
}

TD_QUERY_FREES(free_cpus, free(r->cpu))

const struct td_query_table td_table_cpus = {
    .name = "cpus",
    .about = "a processor that ran threads",
    TD_QUERY_WITH_COLUMNS,
    .make = make_cpus,
    .free = free_cpus,
};
