/* The part of tendril info --json that is made from tables. */
#include "host/query/rows/model_tables.h"
#include "host/query/table/forms.h"
#include "host/query/table/tables.h"
#include "host/tools/info/info.h"
#include "host/trace/tables.h"

#include <stdio.h>

struct table_part {
    struct td_json *j;
    const struct td_trace *trace;
};

static uint64_t count_rows(const struct table_part *p, enum td_table table)
{
    return td_series_count(td_trace_table(p->trace, table));
}

static uint64_t sum_column(const struct td_series *series, unsigned column)
{
    uint64_t total = 0;
    for (uint64_t i = 0; i < td_series_count(series); i++)
        total += (uint64_t)td_series_get(series, i, column);
    return total;
}

/* ---- code ---- */

static void json_hardware(const struct table_part *p)
{
    static const struct {
        const char *key;
        enum td_table table;
    } kinds[] = {{"cycles", TD_TABLE_HW_CYCLES},
                 {"retired", TD_TABLE_HW_RETIRED},
                 {"cache_references", TD_TABLE_HW_CACHE_REFERENCES},
                 {"cache_misses", TD_TABLE_HW_CACHE_MISSES},
                 {"branches", TD_TABLE_HW_BRANCHES},
                 {"branch_misses", TD_TABLE_HW_BRANCH_MISSES}};
    td_json_object(p->j, "hardware_samples");
    td_json_uint(p->j, "addresses", count_rows(p, TD_TABLE_HW_ADDRESS));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        td_json_uint(p->j, kinds[i].key, td_trace_table_rows(p->trace, kinds[i].table));
    td_json_end_object(p->j);
}

static void json_code(const struct table_part *p)
{
    td_json_object(p->j, "call_stacks");
    uint64_t stacks = count_rows(p, TD_TABLE_STACK);
    td_json_uint(p->j, "stacks", stacks ? stacks - 1 : 0);
    td_json_uint(p->j, "frames", count_rows(p, TD_TABLE_STACK_FRAME));
    td_json_uint(p->j, "samples", td_trace_table_rows(p->trace, TD_TABLE_SAMPLE));
    td_json_uint(p->j, "switch_samples", td_trace_table_rows(p->trace, TD_TABLE_SWITCH_SAMPLE));
    td_json_end_object(p->j);
    json_hardware(p);
    td_json_object(p->j, "symbols");
    td_json_uint(p->j, "count", count_rows(p, TD_TABLE_SYMBOL));
    td_json_uint(p->j, "with_code", count_rows(p, TD_TABLE_CODE));
    td_json_uint(p->j, "code_bytes", sum_column(td_trace_table(p->trace, TD_TABLE_CODE), TD_CODE_BYTES));
    td_json_end_object(p->j);
}

/* ---- the rest ---- */

static void json_images(const struct table_part *p)
{
    td_json_object(p->j, "images");
    td_json_uint(p->j, "count", count_rows(p, TD_TABLE_IMAGE));
    td_json_uint(p->j, "bytes", sum_column(td_trace_table(p->trace, TD_TABLE_IMAGE), TD_IMAGE_BYTES));
    td_json_uint(p->j, "dictionary_bytes",
                 sum_column(td_trace_table(p->trace, TD_TABLE_IMAGE_DICTIONARY), TD_IMAGE_DICTIONARY_BYTES));
    td_json_end_object(p->j);
}

static void json_severities(const struct table_part *p)
{
    static const char *const names[] = {"trace", "debug", "info", "warning", "error", "fatal"};
    enum { NAMES = sizeof names / sizeof *names };
    uint64_t counts[NAMES] = {0}, own = 0;
    for (size_t i = 0; i < td_trace_messages(p->trace); i++) {
        struct td_message m = td_trace_message(p->trace, i);
        counts[m.severity < NAMES ? m.severity : TD_SEVERITY_INFO]++;
        own += m.source != 0;
    }
    td_json_object(p->j, "severities");
    for (int i = 0; i < NAMES; i++)
        td_json_uint(p->j, names[i], counts[i]);
    td_json_uint(p->j, "of_the_profiler", own);
    td_json_end_object(p->j);
}

/* The number of rows of every table that is not empty, also of tables that have no part of their own. */
static void json_table_rows(const struct table_part *p)
{
    td_json_object(p->j, "tables");
    for (int t = 0; t < TD_TABLE_COUNT; t++) {
        uint64_t count = td_trace_table_rows(p->trace, (enum td_table)t);
        if (count)
            td_json_uint(p->j, td_table_get_shape((enum td_table)t)->name, count);
    }
    td_json_end_object(p->j);
}

int info_json_lists(struct td_json *j, const struct td_trace *trace, const struct info_list *lists)
{
    const struct td_query_request all = td_query_all(trace);
    int rc = 0;
    for (; rc == 0 && lists->key; lists++)
        rc = td_query_json_table(j, lists->key, lists->table, &all);
    return rc;
}

static const struct info_list objects[] = {{"gpu_contexts", &td_table_gpu_contexts},
                                           {"locks", &td_table_locks},
                                           {"memory_pools", &td_table_memory_pools},
                                           {0}};
static const struct info_list processors[] = {{"context_switches", &td_table_context_switches},
                                              {"topology", &td_model_tables[TD_TABLE_TOPOLOGY]},
                                              {"cpus", &td_table_cpus},
                                              {"cpu_threads", &td_model_tables[TD_TABLE_CPU_TOTAL]},
                                              {"foreign_threads", &td_model_tables[TD_TABLE_FOREIGN_THREAD]},
                                              {0}};
static const struct info_list sources[] = {{"source_files", &td_model_tables[TD_TABLE_SOURCE]}, {0}};
static const struct info_list sections[] = {{"sections", &td_table_sections}, {0}};

int info_json_tables(struct td_json *j, const struct td_trace *trace, struct td_err *err)
{
    const struct table_part p = {j, trace};
    json_severities(&p);
    int rc = info_json_lists(j, trace, objects);
    rc = rc ? rc : info_json_samples(j, trace, err);
    rc = rc ? rc : info_json_lists(j, trace, processors);
    json_code(&p);
    rc = rc ? rc : info_json_lists(j, trace, sources);
    json_images(&p);
    rc = rc ? rc : info_json_lists(j, trace, sections);
    json_table_rows(&p);
    return rc < 0 ? td_fail_no_memory(err, NULL) : 0;
}
