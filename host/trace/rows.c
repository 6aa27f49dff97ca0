/* The model as a sink of rows. */
#include "host/trace/rows.h"
#include "host/trace/gpu_lines.h"
#include "host/trace/model.h"

static void note_time(struct td_trace *trace, int64_t time_ns)
{
    if (time_ns > trace->last_time_ns)
        trace->last_time_ns = time_ns;
}

static int add_gpu_zone(struct td_trace *trace, uint64_t number, const int64_t *v, struct td_err *err)
{
    if (number >= td_dict_track_count(trace->dict) ||
        !td_dict_get_track(trace->dict, (uint32_t)number)->context)
        return td_fail(err, TD_E_USAGE, "a GPU zone in a track without a GPU context");
    struct track *track = td_trace_track_(trace, (uint32_t)number);
    if (!track)
        return td_fail_no_memory(err, TD_WHILE_BUILDING);
    if (track->mode != MODE_NONE && !track->lines)
        return td_fail(err, TD_E_USAGE, "a GPU zone in a track that has other zones");
    if (!track->lines && !(track->lines = td_gpu_lines_create(trace, (uint32_t)number)))
        return td_fail_no_memory(err, TD_WHILE_BUILDING);
    track->mode = MODE_NESTED;
    struct td_gpu_zone zone = {.depth = (uint32_t)v[TD_GPU_ZONE_DEPTH],
                               .srcloc = (uint32_t)v[TD_GPU_ZONE_SRCLOC],
                               .start_ns = v[TD_GPU_ZONE_START],
                               .end_ns = v[TD_GPU_ZONE_END],
                               .cpu_start_ns = v[TD_GPU_ZONE_CPU_START],
                               .cpu_duration_ns = v[TD_GPU_ZONE_CPU_DURATION],
                               .thread = (uint64_t)v[TD_GPU_ZONE_THREAD],
                               .query = (uint32_t)v[TD_GPU_ZONE_QUERY]};
    if (v[TD_GPU_ZONE_STACK] &&
        !(zone.extra = td_trace_extra_(trace, &(struct extra){.stack = (uint32_t)v[TD_GPU_ZONE_STACK]})))
        return td_fail_no_memory(err, TD_WHILE_BUILDING);
    if (zone.srcloc >= td_dict_srcloc_count(trace->dict))
        zone.srcloc = 0;
    int rc = td_gpu_lines_add(track->lines, &zone);
    if (rc == TD_E_USAGE)
        return td_fail(err, rc, "a GPU zone whose depth does not fit the zones before it");
    if (rc < 0)
        return td_fail_no_memory(err, TD_WHILE_BUILDING);
    note_time(trace, zone.start_ns > zone.end_ns ? zone.start_ns : zone.end_ns);
    return 0;
}

/* Copies values into `row`, and blobs into the trace; notes times for the end of the trace. */
static int take_values(struct td_trace *trace, const struct td_table_shape *shape, const int64_t *values,
                       int64_t *row)
{
    for (unsigned c = 0; c < shape->columns; c++) {
        row[c] = values[c];
        if (shape->column[c].type == TD_TYPE_TIME)
            note_time(trace, values[c]);
        if (shape->column[c].type != TD_TYPE_BLOB)
            continue;
        size_t bytes = (size_t)values[c + 1];
        row[c] = td_trace_fill_blob(trace, (const void *)(uintptr_t)values[c], bytes);
        if (!row[c] && bytes)
            return TD_E_NOMEM;
    }
    return 0;
}

/* For readers of a growing trace, which cannot look through all allocations for those that were freed. */
static int log_free(struct td_trace *trace, uint64_t pool, uint64_t row, uint64_t after, struct td_err *err)
{
    const int64_t values[TD_MEMORY_FREE_COLUMN_COUNT] = {(int64_t)row, (int64_t)after};
    struct td_series *frees = td_trace_fill_list(trace, TD_TABLE_MEMORY_FREE, pool);
    if (!frees || td_series_append(frees, values) < 0)
        return td_fail_no_memory(err, TD_WHILE_BUILDING);
    return 0;
}

int td_trace_row_(void *self, unsigned table, uint64_t parent, const int64_t *values, struct td_err *err)
{
    struct td_trace *trace = self;
    int64_t row[TD_SERIES_COLUMNS];
    if (trace->finished)
        return td_fail(err, TD_E_USAGE, "rows for a finished trace");
    if (table == TD_ROW_GPU_ZONE)
        return add_gpu_zone(trace, parent, values, err);
    if (table >= TD_TABLE_COUNT || (parent && !td_table_get_shape((enum td_table)table)->each))
        return td_fail(err, TD_E_USAGE, "a row of unknown table %u", table);
    struct td_series *series = td_trace_fill_list(trace, (enum td_table)table, parent);
    if (!series || take_values(trace, td_table_get_shape((enum td_table)table), values, row) < 0 ||
        td_series_append(series, row) < 0)
        return td_fail_no_memory(err, TD_WHILE_BUILDING);
    unsigned time = td_trace_time_column_((enum td_table)table);
    if (time < TD_SERIES_COLUMNS)
        td_trace_note_time_(trace, (enum td_table)table, row[time]);
    if (table == TD_TABLE_MEMORY && trace->followed && row[TD_MEMORY_FREE_TIME] >= 0)
        return log_free(trace, parent, series->count - 1, series->count, err);
    return 0;
}

int td_trace_set_(void *self, unsigned table, uint64_t parent, uint64_t row, unsigned column, int64_t value,
                  struct td_err *err)
{
    struct td_trace *trace = self;
    if (trace->finished || table >= TD_TABLE_COUNT)
        return td_fail(err, TD_E_USAGE, "a change to unknown table %u, or to a finished trace", table);
    const struct td_table_shape *shape = td_table_get_shape((enum td_table)table);
    if (column >= shape->columns ||
        row >= td_series_count(td_trace_list(trace, (enum td_table)table, parent)))
        return td_fail(err, TD_E_USAGE, "a change to a row or column that %s does not have", shape->name);
    struct td_series *series = td_trace_fill_list(trace, (enum td_table)table, parent);
    if (row < td_series_first(series))
        return 0; /* it is forgotten */
    if (!series->loose && row + 1 != series->count)
        return td_fail(err, TD_E_USAGE, "a change to a row of %s that can no longer change", shape->name);
    if (shape->column[column].type == TD_TYPE_TIME)
        note_time(trace, value);
    if (column == td_trace_time_column_((enum td_table)table))
        trace->disordered |= UINT64_C(1) << table;
    if (td_series_set(series, row, column, value) < 0)
        return td_fail_no_memory(err, TD_WHILE_BUILDING);
    if (table == TD_TABLE_MEMORY && column == TD_MEMORY_FREE_TIME && trace->followed && value >= 0)
        return log_free(trace, parent, row, series->count, err);
    return 0;
}
