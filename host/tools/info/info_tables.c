/* The part of tendril info --json that is made from tables. */
#include "host/tools/info/info.h"
#include "host/trace/tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table_part {
    struct td_json *j;
    const struct td_trace *trace;
    const struct td_dict *dict;
};

static uint64_t count_rows(const struct table_part *p, enum td_table table)
{
    return td_series_count(td_trace_table(p->trace, table));
}

static int64_t get_cell(const struct table_part *p, enum td_table table, uint64_t row, unsigned column)
{
    return td_series_get(td_trace_table(p->trace, table), row, column);
}

static double get_f64_cell(const struct table_part *p, enum td_table table, uint64_t row, unsigned column)
{
    int64_t bits = get_cell(p, table, row, column);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void json_text(const struct table_part *p, const char *key, int64_t string)
{
    td_json_text(p->j, key, td_dict_text(p->dict, (uint32_t)string),
                 td_dict_text_bytes(p->dict, (uint32_t)string));
}

static void json_time(const struct table_part *p, const char *key, int64_t time_ns, int known)
{
    if (known)
        td_json_int(p->j, key, time_ns);
    else
        td_json_null(p->j, key);
}

static uint64_t sum_column(const struct td_series *series, unsigned column)
{
    uint64_t total = 0;
    for (uint64_t i = 0; i < td_series_count(series); i++)
        total += (uint64_t)td_series_get(series, i, column);
    return total;
}

/* ---- GPU contexts ---- */

static void json_gpu_notes(const struct table_part *p, uint64_t context)
{
    const struct td_series *names = td_trace_list(p->trace, TD_TABLE_GPU_NOTE_NAME, context);
    const struct td_series *notes = td_trace_list(p->trace, TD_TABLE_GPU_NOTE, context);
    td_json_array(p->j, "notes");
    for (uint64_t n = 0; n < td_series_count(names); n++) {
        uint64_t count = 0;
        for (uint64_t i = 0; i < td_series_count(notes); i++)
            count +=
                td_series_get(notes, i, TD_GPU_NOTE_NOTE) == td_series_get(names, n, TD_GPU_NOTE_NAME_NOTE);
        td_json_object(p->j, NULL);
        json_text(p, "name", td_series_get(names, n, TD_GPU_NOTE_NAME_NAME));
        td_json_uint(p->j, "count", count);
        td_json_end_object(p->j);
    }
    td_json_end_array(p->j);
}

static void json_gpu_contexts(const struct table_part *p)
{
    td_json_array(p->j, "gpu_contexts");
    for (uint64_t c = 0; c < count_rows(p, TD_TABLE_GPU_CONTEXT); c++) {
        uint64_t zones = 0, tracks = 0;
        for (uint32_t t = 0; t < td_dict_track_count(p->dict); t++) {
            if (td_dict_get_track(p->dict, t)->context != c + 1)
                continue;
            zones += td_trace_track_zones(p->trace, t);
            tracks++;
        }
        td_json_object(p->j, NULL);
        json_text(p, "name", get_cell(p, TD_TABLE_GPU_CONTEXT, c, TD_GPU_CONTEXT_NAME));
        td_json_string(p->j, "type",
                       info_gpu_type(get_cell(p, TD_TABLE_GPU_CONTEXT, c, TD_GPU_CONTEXT_TYPE)));
        td_json_uint(p->j, "thread", (uint64_t)get_cell(p, TD_TABLE_GPU_CONTEXT, c, TD_GPU_CONTEXT_THREAD));
        td_json_bool(p->j, "calibrated",
                     get_cell(p, TD_TABLE_GPU_CONTEXT, c, TD_GPU_CONTEXT_CALIBRATED) != 0);
        td_json_double(p->j, "period_ns", get_f64_cell(p, TD_TABLE_GPU_CONTEXT, c, TD_GPU_CONTEXT_PERIOD));
        td_json_uint(p->j, "overflow",
                     (uint64_t)get_cell(p, TD_TABLE_GPU_CONTEXT, c, TD_GPU_CONTEXT_OVERFLOW));
        td_json_uint(p->j, "tracks", tracks);
        td_json_uint(p->j, "zones", zones);
        json_gpu_notes(p, c);
        td_json_end_object(p->j);
    }
    td_json_end_array(p->j);
}

/* ---- locks ---- */

static void json_lock_events(const struct table_part *p, uint64_t lock)
{
    static const char *const kinds[] = {"waits",        "obtains",        "releases",
                                        "shared_waits", "shared_obtains", "shared_releases"};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    const struct td_series *events = td_trace_list(p->trace, TD_TABLE_LOCK_EVENT, lock);
    uint64_t counts[KINDS] = {0};
    for (uint64_t i = 0; i < td_series_count(events); i++) {
        int64_t kind = td_series_get(events, i, TD_LOCK_EVENT_KIND);
        if (kind >= 0 && kind < KINDS)
            counts[kind]++;
    }
    td_json_uint(p->j, "events", td_series_count(events));
    for (int k = 0; k < KINDS; k++)
        td_json_uint(p->j, kinds[k], counts[k]);
}

static void json_locks(const struct table_part *p)
{
    td_json_array(p->j, "locks");
    for (uint64_t l = 0; l < count_rows(p, TD_TABLE_LOCK); l++) {
        uint32_t srcloc = (uint32_t)get_cell(p, TD_TABLE_LOCK, l, TD_LOCK_SRCLOC);
        const struct td_srcloc *loc = td_dict_get_srcloc(p->dict, srcloc);
        int64_t ended = get_cell(p, TD_TABLE_LOCK, l, TD_LOCK_TERMINATED);
        td_json_object(p->j, NULL);
        td_json_uint(p->j, "id", (uint64_t)get_cell(p, TD_TABLE_LOCK, l, TD_LOCK_ID));
        json_text(p, "name", get_cell(p, TD_TABLE_LOCK, l, TD_LOCK_NAME));
        td_json_string(p->j, "location", td_dict_zone_name(p->dict, srcloc));
        td_json_string(p->j, "file", td_dict_text(p->dict, loc->file));
        td_json_uint(p->j, "line", loc->line);
        td_json_bool(p->j, "shared", get_cell(p, TD_TABLE_LOCK, l, TD_LOCK_TYPE) == 1);
        td_json_bool(p->j, "valid", get_cell(p, TD_TABLE_LOCK, l, TD_LOCK_VALID) != 0);
        td_json_int(p->j, "announced_ns", get_cell(p, TD_TABLE_LOCK, l, TD_LOCK_ANNOUNCED));
        json_time(p, "terminated_ns", ended, ended != 0);
        td_json_uint(p->j, "threads", td_series_count(td_trace_list(p->trace, TD_TABLE_LOCK_THREAD, l)));
        json_lock_events(p, l);
        td_json_end_object(p->j);
    }
    td_json_end_array(p->j);
}

/* ---- memory ---- */

static int json_memory(const struct table_part *p)
{
    int rc = 0;
    td_json_array(p->j, "memory_pools");
    for (uint64_t i = 0; i < count_rows(p, TD_TABLE_POOL); i++) {
        struct info_pool pool = {0};
        if (rc == 0)
            rc = info_pool(p->trace, i, &pool);
        td_json_object(p->j, NULL);
        json_text(p, "name", get_cell(p, TD_TABLE_POOL, i, TD_POOL_NAME));
        td_json_uint(p->j, "events", pool.events);
        td_json_uint(p->j, "active", pool.active);
        td_json_uint(p->j, "active_bytes", pool.active_bytes);
        td_json_uint(p->j, "peak_bytes", pool.peak_bytes);
        td_json_uint(p->j, "low", (uint64_t)get_cell(p, TD_TABLE_POOL, i, TD_POOL_LOW));
        td_json_uint(p->j, "high", (uint64_t)get_cell(p, TD_TABLE_POOL, i, TD_POOL_HIGH));
        td_json_end_object(p->j);
    }
    td_json_end_array(p->j);
    return rc;
}

/* ---- processors ---- */

static void json_processors(const struct table_part *p)
{
    td_json_array(p->j, "topology");
    for (uint64_t i = 0; i < count_rows(p, TD_TABLE_TOPOLOGY); i++) {
        td_json_object(p->j, NULL);
        td_json_int(p->j, "package", get_cell(p, TD_TABLE_TOPOLOGY, i, TD_TOPOLOGY_PACKAGE));
        td_json_int(p->j, "die", get_cell(p, TD_TABLE_TOPOLOGY, i, TD_TOPOLOGY_DIE));
        td_json_int(p->j, "core", get_cell(p, TD_TABLE_TOPOLOGY, i, TD_TOPOLOGY_CORE));
        td_json_int(p->j, "cpu", get_cell(p, TD_TABLE_TOPOLOGY, i, TD_TOPOLOGY_CPU));
        td_json_end_object(p->j);
    }
    td_json_end_array(p->j);
    td_json_array(p->j, "cpus");
    for (uint64_t cpu = 0; cpu < td_trace_lists(p->trace, TD_TABLE_CPU_SWITCH); cpu++) {
        uint64_t count = td_series_count(td_trace_list(p->trace, TD_TABLE_CPU_SWITCH, cpu));
        if (!count)
            continue;
        td_json_object(p->j, NULL);
        td_json_uint(p->j, "cpu", cpu);
        td_json_uint(p->j, "switches", count);
        td_json_end_object(p->j);
    }
    td_json_end_array(p->j);
    td_json_array(p->j, "cpu_threads");
    for (uint64_t i = 0; i < count_rows(p, TD_TABLE_CPU_TOTAL); i++) {
        td_json_object(p->j, NULL);
        td_json_uint(p->j, "thread", (uint64_t)get_cell(p, TD_TABLE_CPU_TOTAL, i, TD_CPU_TOTAL_THREAD));
        td_json_int(p->j, "running_ns", get_cell(p, TD_TABLE_CPU_TOTAL, i, TD_CPU_TOTAL_RUNNING_NS));
        td_json_int(p->j, "regions", get_cell(p, TD_TABLE_CPU_TOTAL, i, TD_CPU_TOTAL_REGIONS));
        td_json_int(p->j, "migrations", get_cell(p, TD_TABLE_CPU_TOTAL, i, TD_CPU_TOTAL_MIGRATIONS));
        td_json_end_object(p->j);
    }
    td_json_end_array(p->j);
    td_json_array(p->j, "foreign_threads");
    for (uint64_t i = 0; i < count_rows(p, TD_TABLE_FOREIGN_THREAD); i++) {
        td_json_object(p->j, NULL);
        td_json_uint(p->j, "thread",
                     (uint64_t)get_cell(p, TD_TABLE_FOREIGN_THREAD, i, TD_FOREIGN_THREAD_THREAD));
        json_text(p, "process", get_cell(p, TD_TABLE_FOREIGN_THREAD, i, TD_FOREIGN_THREAD_PROCESS));
        json_text(p, "name", get_cell(p, TD_TABLE_FOREIGN_THREAD, i, TD_FOREIGN_THREAD_NAME));
        td_json_end_object(p->j);
    }
    td_json_end_array(p->j);
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
    td_json_array(p->j, "source_files");
    for (uint64_t i = 0; i < count_rows(p, TD_TABLE_SOURCE); i++) {
        td_json_object(p->j, NULL);
        json_text(p, "name", get_cell(p, TD_TABLE_SOURCE, i, TD_SOURCE_NAME));
        td_json_uint(p->j, "bytes", (uint64_t)get_cell(p, TD_TABLE_SOURCE, i, TD_SOURCE_BYTES));
        td_json_end_object(p->j);
    }
    td_json_end_array(p->j);
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

static const char *category_text(const struct table_part *p, int64_t category)
{
    for (uint64_t i = 0; i < count_rows(p, TD_TABLE_SECTION_CATEGORY); i++)
        if (get_cell(p, TD_TABLE_SECTION_CATEGORY, i, TD_SECTION_CATEGORY_CATEGORY) == category)
            return td_dict_text(
                p->dict, (uint32_t)get_cell(p, TD_TABLE_SECTION_CATEGORY, i, TD_SECTION_CATEGORY_TEXT));
    return "";
}

static void json_sections(const struct table_part *p)
{
    td_json_array(p->j, "sections");
    for (uint64_t i = 0; i < count_rows(p, TD_TABLE_SECTION); i++) {
        int64_t category = get_cell(p, TD_TABLE_SECTION, i, TD_SECTION_CATEGORY),
                end = get_cell(p, TD_TABLE_SECTION, i, TD_SECTION_END);
        td_json_object(p->j, NULL);
        td_json_int(p->j, "category", category);
        td_json_string(p->j, "description", category_text(p, category));
        json_text(p, "text", get_cell(p, TD_TABLE_SECTION, i, TD_SECTION_TEXT));
        td_json_int(p->j, "start_ns", get_cell(p, TD_TABLE_SECTION, i, TD_SECTION_START));
        json_time(p, "end_ns", end, end >= 0);
        td_json_end_object(p->j);
    }
    td_json_end_array(p->j);
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

int info_json_tables(struct td_json *j, const struct td_trace *trace, struct td_err *err)
{
    const struct table_part p = {j, trace, td_trace_dict(trace)};
    json_severities(&p);
    json_gpu_contexts(&p);
    json_locks(&p);
    int rc = json_memory(&p);
    if (rc == 0)
        rc = info_json_samples(j, trace, err);
    json_processors(&p);
    json_code(&p);
    json_images(&p);
    json_sections(&p);
    json_table_rows(&p);
    return rc < 0 ? td_fail_no_memory(err, NULL) : 0;
}
