#include "host/query/rows/cpu_load.h"
#include "host/base/grow.h"
#include "host/base/wrap.h"

#include <stdlib.h>

#define MOST_CPUS   256
#define CHECK_EVERY 4096 /* runs between two looks at the job */

struct load_maker {
    struct td_cpu_loads *loads;
    const struct td_query_request *of;
    struct td_cpu_loads threads;
    bool processes; /* are wanted, too */
    uint32_t cpus;
    const struct td_series *rows[MOST_CPUS];
    uint64_t next[MOST_CPUS];
    int64_t start_ns[MOST_CPUS]; /* of the next run; INT64_MAX: there are no more */
    uint32_t *last_cpu;          /* by row of `threads` */
    size_t capacity;
    uint64_t done, all;
};

/* The first run of a processor that is in the range, from its `next` on. */
static void look_ahead(struct load_maker *m, uint32_t cpu)
{
    const struct td_series *rows = m->rows[cpu];
    m->start_ns[cpu] = m->next[cpu] < td_series_count(rows)
                           ? td_series_get(rows, m->next[cpu], TD_CPU_SWITCH_START)
                           : INT64_MAX;
    if (m->start_ns[cpu] > m->of->to_ns)
        m->start_ns[cpu] = INT64_MAX;
}

static void begin_cpus(struct load_maker *m)
{
    const uint64_t lists = td_trace_lists(m->of->trace, TD_TABLE_CPU_SWITCH);
    m->cpus = lists < MOST_CPUS ? (uint32_t)lists : MOST_CPUS;
    for (uint32_t c = 0; c < m->cpus; c++) {
        m->rows[c] = td_trace_list(m->of->trace, TD_TABLE_CPU_SWITCH, c);
        const struct td_busy runs = {
            .rows = m->rows[c], .start = TD_CPU_SWITCH_START, .end = TD_CPU_SWITCH_END};
        m->next[c] = td_busy_at(&runs, m->loads->from_ns);
        m->all += td_series_count(m->rows[c]) - m->next[c];
        look_ahead(m, c);
    }
}

/* The row of a thread or process, which may be new; NULL: no memory. */
static struct td_cpu_load *load_of(struct td_cpu_loads *loads, uint64_t id, bool is_process)
{
    /* Threads without a process are apart from processes of the same number. */
    const uint64_t key = td_mix64(id * 2 + is_process);
    const uint32_t known = td_map_get(&loads->of, key, 0);
    if (known)
        return &loads->at[known - 1];
    const struct td_cpu_load load = {.id = id, .thread = id, .is_process = is_process};
    if (TD_APPEND(loads->at, loads->count, loads->capacity, load) < 0 ||
        td_map_set(&loads->of, key, (uint32_t)loads->count) < 0)
        return NULL;
    return &loads->at[loads->count - 1];
}

static void add_run(struct td_cpu_load *load, int64_t start_ns, int64_t end_ns, bool migrates)
{
    load->runs++;
    load->running_ns = td_wrap_add(load->running_ns, end_ns - start_ns);
    load->migrations += migrates;
    if (load->runs == 1 || end_ns - start_ns > load->longest_end_ns - load->longest_start_ns) {
        load->longest_start_ns = start_ns;
        load->longest_end_ns = end_ns;
    }
}

static int count_of_process(struct load_maker *m, const struct td_cpu_load *thread, int64_t start_ns,
                            int64_t end_ns, bool migrates)
{
    const uint64_t process = td_switches_process(&m->loads->names, thread->id);
    struct td_cpu_load *load = load_of(m->loads, process ? process : thread->id, process != 0);
    if (!load)
        return TD_E_NOMEM;
    load->thread = load->runs ? load->thread : thread->id;
    load->threads += thread->runs == 1;
    add_run(load, start_ns, end_ns, migrates);
    return 0;
}

/* The next run of the processor, cut at the ends of the range. */
static int count_run(struct load_maker *m, uint32_t cpu)
{
    const struct td_busy runs = {
        .rows = m->rows[cpu], .start = TD_CPU_SWITCH_START, .end = TD_CPU_SWITCH_END};
    const uint64_t row = m->next[cpu]++,
                   thread = (uint64_t)td_series_get(runs.rows, row, TD_CPU_SWITCH_THREAD);
    const int64_t start = m->start_ns[cpu], end = td_busy_end(&runs, row, m->of->now_ns);
    const int64_t from = start > m->loads->from_ns ? start : m->loads->from_ns,
                  to = end < m->of->to_ns ? end : m->of->to_ns;
    look_ahead(m, cpu);
    if (to <= from)
        return 0;
    struct td_cpu_load *load = load_of(&m->threads, thread, false);
    if (!load || td_grow(&m->last_cpu, &m->capacity, m->threads.count, sizeof *m->last_cpu) < 0)
        return TD_E_NOMEM;
    uint32_t *last_cpu = &m->last_cpu[load - m->threads.at];
    const bool migrates = load->runs && *last_cpu != cpu;
    *last_cpu = cpu;
    add_run(load, from, to, migrates);
    return m->processes ? count_of_process(m, load, from, to, migrates) : 0;
}

/* Counts the runs in the order in which they began, so that the way of each thread is known. */
static int count_runs(struct load_maker *m)
{
    for (int rc = 0;;) {
        uint32_t cpu = 0;
        for (uint32_t c = 1; c < m->cpus; c++)
            cpu = m->start_ns[c] < m->start_ns[cpu] ? c : cpu;
        if (!m->cpus || m->start_ns[cpu] == INT64_MAX)
            return 0;
        rc = count_run(m, cpu);
        if (rc < 0)
            return rc;
        if (++m->done % CHECK_EVERY || !m->of->job)
            continue;
        td_job_set_progress(m->of->job, m->done, m->all);
        if (td_job_cancelled(m->of->job))
            return TD_E_STOPPED;
    }
}

int td_cpu_loads_make(struct td_cpu_loads *loads, const struct td_query_request *of, bool processes)
{
    *loads = (struct td_cpu_loads){.from_ns = of->from_ns > 0 ? of->from_ns : 0,
                                   .to_ns = of->to_ns < of->now_ns ? of->to_ns : of->now_ns};
    struct load_maker *m = calloc(1, sizeof *m);
    td_switches_init(&loads->names);
    int rc = m ? td_switches_update(&loads->names, of->trace, 0) : TD_E_NOMEM;
    if (rc >= 0) {
        m->loads = loads;
        m->of = of;
        m->processes = processes;
        begin_cpus(m);
        rc = count_runs(m);
    }
    if (m && !processes) {
        loads->at = m->threads.at;
        loads->count = m->threads.count;
        loads->of = m->threads.of;
        m->threads = (struct td_cpu_loads){0};
    }
    if (m) {
        free(m->threads.at);
        td_map_finish(&m->threads.of);
        free(m->last_cpu);
    }
    free(m);
    return rc;
}

void td_cpu_loads_free(struct td_cpu_loads *loads)
{
    free(loads->at);
    td_map_finish(&loads->of);
    if (loads->names.trace)
        td_switches_free(&loads->names);
    *loads = (struct td_cpu_loads){0};
}
