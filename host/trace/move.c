/* Moves all times of a trace, so that its origin (origin.h) is 0. */
#include "host/trace/model.h"

/* What is taken off which columns of a series. */
struct time_step {
    int64_t by;
    unsigned columns; /* bits 1u << column */
    enum td_table table;
    uint64_t *changed; /* counts times before the origin, which become 0 */
};

/* A value below 0 is no time, nor is TD_OPEN. In some columns 0 is none either. */
static int64_t move_time(int64_t time_ns, const struct time_step *step)
{
    if (time_ns < 0 || time_ns == TD_OPEN)
        return time_ns;
    const int64_t moved_ns = td_trace_moved_time_(step->table, time_ns - step->by);
    *step->changed += time_ns && time_ns < step->by && !moved_ns;
    return moved_ns;
}

/* All values of the packed column can be moved by its base alone. */
static bool moves_by_base(const struct td_series *s, const int64_t *base, unsigned column, int64_t by)
{
    const uint32_t place = ((const uint32_t *)(base + s->columns))[column];
    return base[column] >= by && td_series_width_(place) < sizeof(int64_t);
}

static int move_rows(struct td_series *s, uint64_t chunk, unsigned rows, const struct time_step *step)
{
    int64_t values[TD_SERIES_COLUMNS << TD_SERIES_LOG2_ROWS];
    for (unsigned c = 0; c < s->columns; c++) {
        int64_t *column = values + ((size_t)c << TD_SERIES_LOG2_ROWS);
        td_series_read(s, c, chunk << TD_SERIES_LOG2_ROWS, rows, column);
        for (unsigned i = 0; step->columns >> c & 1 && i < rows; i++)
            column[i] = move_time(column[i], step);
    }
    return td_series_repack_(s, chunk, values, rows);
}

static int move_chunk(struct td_series *s, uint64_t chunk, unsigned rows, const struct time_step *step)
{
    int64_t *base = (int64_t *)td_series_entry_(s, chunk);
    td_series_touch_(s, chunk);
    for (unsigned c = 0; c < s->columns; c++)
        if (step->columns >> c & 1 && !moves_by_base(s, base, c, step->by))
            return move_rows(s, chunk, rows, step);
    for (unsigned c = 0; c < s->columns; c++)
        base[c] -= step->columns >> c & 1 ? step->by : 0;
    return 0;
}

/* The series is sealed, and no other thread reads it. */
static int move_series(struct td_series *s, const struct time_step *step)
{
    int rc = 0;
    for (uint64_t first = td_series_first(s); rc == 0 && first < s->count; first += TD_SERIES_ROWS) {
        const unsigned rows =
            s->count - first < TD_SERIES_ROWS ? (unsigned)(s->count - first) : TD_SERIES_ROWS;
        rc = move_chunk(s, first >> TD_SERIES_LOG2_ROWS, rows, step);
    }
    for (unsigned c = 0; s->blank && c < s->columns; c++)
        if (step->columns >> c & 1)
            s->blank->chunk[c] = move_time(s->blank->chunk[c], step);
    return rc;
}

static int move_track(const struct td_trace *trace, uint32_t number, uint64_t *changed)
{
    const bool is_gpu = td_trace_zone_columns_(trace, number) > TD_ZONE_COLUMNS;
    const struct time_step step = {.by = trace->origin_ns,
                                   .columns = 1u << TD_ZONE_START | (is_gpu ? 1u << TD_ZONE_CPU_START : 0),
                                   .table = TD_TABLE_COUNT,
                                   .changed = changed};
    const struct track *track = td_trace_find_track_(trace, number);
    const struct rows *rows = track ? track->rows : NULL;
    int rc = 0;
    for (uint32_t r = 0; rc == 0 && rows && r < rows->count; r++)
        rc = move_series(rows->at[r], &step);
    return rc;
}

static int move_table(struct td_trace *trace, enum td_table table, uint64_t *changed)
{
    const struct td_table_shape *shape = td_table_get_shape(table);
    struct time_step step = {.by = trace->origin_ns, .table = table, .changed = changed};
    int rc = 0;
    for (unsigned c = 0; c < shape->columns; c++)
        step.columns |= shape->column[c].type == TD_TYPE_TIME ? 1u << c : 0;
    for (uint64_t i = 0, lists = td_trace_lists(trace, table); rc == 0 && step.columns && i < lists; i++)
        if (td_series_count(td_trace_list(trace, table, i)))
            rc = move_series(td_trace_fill_list(trace, table, i), &step);
    return rc;
}

int td_trace_move_(struct td_trace *trace)
{
    uint64_t changed = 0, unused = 0;
    const struct time_step step = {.by = trace->origin_ns, .table = TD_TABLE_COUNT, .changed = &unused};
    int rc = 0;
    if (!step.by)
        return 0;
    td_store_hold_packed(trace->store);
    for (uint32_t t = 0; rc == 0 && t < trace->tracks.count; t++)
        rc = move_track(trace, t, &changed);
    for (int table = 0; rc == 0 && table < TD_TABLE_COUNT; table++)
        rc = move_table(trace, (enum td_table)table, &changed);
    td_store_release_packed(trace->store);
    td_trace_clamp_(trace, changed);
    trace->last_time_ns = move_time(trace->last_time_ns, &step);
    trace->info.last_time_ns = move_time(trace->info.last_time_ns, &step);
    trace->crash.time_ns = move_time(trace->crash.time_ns, &step);
    return rc;
}
