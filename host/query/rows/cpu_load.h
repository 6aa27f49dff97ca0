/* How long threads and processes ran on the processors in a range, how often, and how often they moved to another
 * processor: from what each processor ran. */
#pragma once
#include "host/query/rows/switches.h"
#include "host/query/table/query_table.h"

struct td_cpu_load {
    uint64_t id;     /* of the thread or the process */
    uint64_t thread; /* a thread of the process */
    bool is_process; /* false: a thread, or one whose process is not known */
    uint64_t threads, runs, migrations;
    int64_t running_ns;
    int64_t longest_start_ns, longest_end_ns; /* of its runs */
};

struct td_cpu_loads { /* all zero: none */
    struct td_cpu_load *at;
    size_t count, capacity;
    struct td_map of; /* row + 1 by thread, or by process */
    /* The range that was counted: shares are parts of it. */
    int64_t from_ns, to_ns;
    struct td_switches names; /* of the threads */
};

/* The threads that ran in the request's range, or the processes. 0, TD_E_NOMEM or TD_E_STOPPED; td_cpu_loads_free()
 * in any case. */
int td_cpu_loads_make(struct td_cpu_loads *loads, const struct td_query_request *of, bool processes);
void td_cpu_loads_free(struct td_cpu_loads *loads);
/* The running time as a part of the range: that of several threads may be more than 1. */
static inline struct td_query_value td_cpu_share(const struct td_cpu_loads *loads,
                                                 const struct td_cpu_load *load)
{
    return td_is_known(loads->to_ns > loads->from_ns,
                       td_is_real((double)load->running_ns / (double)(loads->to_ns - loads->from_ns)));
}
/* The request's `with` of the table `cpu_threads`, on the heap; NULL: all threads. */
struct td_cpu_wanted {
    bool only; /* the threads of that process, or that thread */
    bool is_process;
    uint64_t id;
};
/* A row of the table `cpu_processes`, or `cpu_threads`. */
const struct td_cpu_load *td_cpu_process(const struct td_query_rows *rows, uint64_t row);
const struct td_cpu_load *td_cpu_thread(const struct td_query_rows *rows, uint64_t row);
