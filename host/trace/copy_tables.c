/* Copies the rows of all tables. What a value means follows from its column's type. */
#include "host/trace/copy_internal.h"

#include <stdlib.h>
#include <string.h>

/* Tables whose first row means "none", so that all sources share it. */
static bool has_none_row(enum td_table table)
{
    return table == TD_TABLE_STACK || table == TD_TABLE_EXTRA;
}

/* The table whose rows a column of type END counts. */
static enum td_table ranged_table(enum td_table table)
{
    return table == TD_TABLE_STACK ? TD_TABLE_STACK_ENTRY : TD_TABLE_STACK_LINE;
}

/* The default pool of each file that has none is empty; such pools are left out, and td_copier_end() adds
 * one for all. */
static int number_pools(struct copy_run *run)
{
    const struct td_series *pools = td_trace_table(run->from, TD_TABLE_POOL);
    uint64_t next = run->base[TD_TABLE_POOL];
    run->pools_count = td_series_count(pools);
    run->pools = malloc((run->pools_count + 1) * sizeof *run->pools);
    for (uint64_t i = 0; run->pools && i < run->pools_count; i++) {
        bool named = td_series_get(pools, i, TD_POOL_NAME) != 0;
        bool used = td_series_count(td_trace_list(run->from, TD_TABLE_MEMORY, i)) != 0;
        run->pools[i] = named || used || !run->apart ? (uint32_t)next++ : COPY_NO_MAP;
    }
    return run->pools ? 0 : TD_E_NOMEM;
}

int td_copy_begin_tables_(struct copy_run *run)
{
    for (unsigned t = 0; t < TD_TABLE_COUNT; t++) {
        enum td_table table = (enum td_table)t;
        uint64_t rows = td_series_count(td_trace_table(run->to, table));
        if (!td_table_get_shape(table)->each)
            run->base[t] = has_none_row(table) && rows ? rows - 1 : rows;
    }
    return number_pools(run);
}

/* ---- values ---- */

/* Ends of sections that never ended are ids below 0. -1: not known. Times of switches may lie before 0. */
static bool is_no_time(enum td_table table, int64_t value)
{
    return value == TD_UNKNOWN_NS || value == TD_OPEN || (table == TD_TABLE_SECTION && value < 0);
}

static void move_times(const struct copy_run *run, enum td_table table, unsigned column, int64_t *values,
                       unsigned count)
{
    const struct td_copy_options *o = run->options;
    bool is_start = column == td_copy_start_column_(table), is_end = column == td_copy_end_column_(table);
    for (unsigned i = 0; i < count; i++) {
        int64_t time = values[i];
        if (is_no_time(table, time))
            continue;
        if (run->ranged && o->clip && is_start && table != TD_TABLE_LOCK_EVENT && time < o->from_ns)
            time = o->from_ns;
        /* An allocation that is freed later is active at the end. */
        if (run->ranged && o->clip && is_end && time > o->until_ns)
            time = table == TD_TABLE_MEMORY ? TD_UNKNOWN_NS : o->until_ns;
        values[i] = time == TD_UNKNOWN_NS ? time : td_time_line_at(&o->clock, time);
        if (run->begins && time >= 0)
            values[i] = td_trace_moved_time_(table, values[i]);
    }
}

static int64_t move_stack(const struct copy_run *run, int64_t stack)
{
    return stack > 0 ? stack + (int64_t)run->base[TD_TABLE_STACK] : 0;
}

static int64_t move_string(struct copy_run *run, enum td_table table, unsigned column, uint32_t string)
{
    if (table == TD_TABLE_EXTRA && column == TD_EXTRA_TEXT)
        return td_copy_zone_text_(run, string);
    if (table == TD_TABLE_POOL)
        return string || !run->named ? td_copy_label_(run, string, true) : td_copy_suffix_(run, "memory");
    if (table == TD_TABLE_GPU_CONTEXT || table == TD_TABLE_THREAD_NAME) /* "LABEL: name" */
        return td_copy_label_(run, string, false);
    return td_copy_string_(run, string);
}

static int64_t move_value(struct copy_run *run, enum td_table table, unsigned column, int64_t value)
{
    const struct td_copier *copier = run->copier;
    switch (td_table_get_shape(table)->column[column].type) {
    case TD_TYPE_STRING:
        return move_string(run, table, column, (uint32_t)value);
    case TD_TYPE_SRCLOC:
        return td_copy_number_(run->locations, run->locations_count, (uint64_t)value);
    case TD_TYPE_TRACK:
        return td_copy_number_(run->tracks, run->tracks_count, (uint64_t)value);
    case TD_TYPE_STACK:
        return move_stack(run, value);
    case TD_TYPE_THREAD:
        return (int64_t)td_copy_thread_(run, (uint64_t)value);
    case TD_TYPE_END:
        return value + (int64_t)run->base[ranged_table(table)];
    case TD_TYPE_ADDRESS:
        return (int64_t)td_copy_address_(run, (uint64_t)value);
    case TD_TYPE_FRAME:
        return (int64_t)td_copy_frame_id_(run, (uint64_t)value);
    case TD_TYPE_LOCK:
        return td_copy_lock_(run, value);
    case TD_TYPE_CPU:
        return value < 0 || !run->apart       ? value
               : run->no_cpus || value >= 255 ? 255
                                              : value + (int64_t)run->cpu_base;
    case TD_TYPE_PACKAGE:
        return run->apart ? value + (int64_t)run->package_base : value;
    case TD_TYPE_CATEGORY:
        return run->apart ? value + (int64_t)copier->next_category : value;
    case TD_TYPE_PARAMETER:
        return run->apart ? value + (int64_t)copier->next_parameter : value;
    case TD_TYPE_IMAGE:
        return value < run->image_first || value >= run->image_end
                   ? -1
                   : value - run->image_first + (int64_t)run->base[TD_TABLE_IMAGE];
    default:
        return value;
    }
}

static void move_column(struct copy_run *run, enum td_table table, unsigned column, int64_t *values,
                        unsigned count)
{
    if (td_table_get_shape(table)->column[column].type == TD_TYPE_TIME)
        move_times(run, table, column, values, count);
    else
        for (unsigned i = 0; i < count; i++)
            values[i] = move_value(run, table, column, values[i]);
}

/* ---- lists ---- */

/* The number in `to` of the list's parent; UINT64_MAX: the list is left out. */
static uint64_t move_parent(struct copy_run *run, enum td_table table, uint64_t parent)
{
    switch (table) {
    case TD_TABLE_POINT:
    case TD_TABLE_PLOT_RANGE:
        return parent < run->plots_count ? run->plots[parent] : UINT64_MAX;
    case TD_TABLE_FRAME:
        if (!parent && run->apart && !run->named) /* of a merge: only the two that files need */
            return UINT64_MAX;
        return parent < run->sets_count ? run->sets[parent] : UINT64_MAX;
    case TD_TABLE_SAMPLE:
    case TD_TABLE_SWITCH_SAMPLE:
        return parent < run->tracks_count && td_copy_has_track_(run, parent) ? run->tracks[parent]
                                                                             : UINT64_MAX;
    case TD_TABLE_LOCK_THREAD:
    case TD_TABLE_LOCK_EVENT:
        return parent + run->base[TD_TABLE_LOCK];
    case TD_TABLE_MEMORY:
        return parent < run->pools_count && run->pools[parent] != COPY_NO_MAP ? run->pools[parent]
                                                                              : UINT64_MAX;
    case TD_TABLE_SWITCH:
        return parent + run->base[TD_TABLE_SWITCH_THREAD];
    case TD_TABLE_CPU_SWITCH:
        return parent + run->cpu_base;
    case TD_TABLE_GPU_NOTE:
    case TD_TABLE_GPU_NOTE_NAME:
        return parent + run->base[TD_TABLE_GPU_CONTEXT];
    default: /* of hardware samples */
        return parent + run->base[TD_TABLE_HW_ADDRESS];
    }
}

static bool is_left_out(const struct copy_run *run, enum td_table table)
{
    switch (table) {
    case TD_TABLE_TRACK_MESSAGE: /* td_trace_finish() makes it */
        return true;
    case TD_TABLE_ZONE_LOCATION: /* the order in one file */
    case TD_TABLE_GPU_LOCATION:
        return run->apart || run->ranged;
    case TD_TABLE_PLOT_RANGE:
    case TD_TABLE_EXTRA: /* with a range each zone's is copied with it */
        return run->ranged;
    case TD_TABLE_IMAGE_DICTIONARY: /* nothing uses it; a file has one */
        return run->apart && run->base[table];
    case TD_TABLE_CPU_SWITCH:
    case TD_TABLE_TOPOLOGY:
        return run->no_cpus;
    default:
        return false;
    }
}

/* Bytes are copied, and get their new address. Returns 0 or TD_E_NOMEM. */
static int move_blobs(struct copy_run *run, const struct td_table_shape *shape, int64_t *row)
{
    for (unsigned c = 0; c + 1 < shape->columns; c++) {
        if (shape->column[c].type != TD_TYPE_BLOB || !row[c])
            continue;
        size_t bytes = (size_t)row[c + 1];
        row[c] = td_trace_fill_blob(run->to, td_trace_blob(row[c]), bytes);
        if (!row[c] && bytes)
            return TD_E_NOMEM;
    }
    return 0;
}

/* The size of what is active at the end of the range. */
static int64_t active_bytes(const struct copy_run *run, uint64_t pool)
{
    const struct td_series *list = td_trace_list(run->from, TD_TABLE_MEMORY, pool);
    const struct td_copy_options *o = run->options;
    int64_t bytes = 0;
    for (uint64_t i = td_series_first(list); i < td_series_count(list); i++) {
        int64_t row[TD_MEMORY_COLUMN_COUNT];
        td_series_row(list, i, row);
        int64_t free_ns = row[TD_MEMORY_FREE_TIME];
        if (row[TD_MEMORY_TIME] < o->until_ns && (free_ns < 0 || (o->clip && free_ns > o->until_ns)))
            bytes = td_wrap_add(bytes, row[TD_MEMORY_SIZE]);
    }
    return bytes;
}

static bool is_same_file(const struct copy_run *run, uint64_t row, const int64_t *values)
{
    const struct td_series *files = td_trace_table(run->to, TD_TABLE_SOURCE);
    int64_t bytes = td_series_get(files, row, TD_SOURCE_BYTES);
    return bytes == values[TD_SOURCE_BYTES] &&
           (!bytes || !memcmp(td_trace_blob(td_series_get(files, row, TD_SOURCE_TEXT)),
                              td_trace_blob(values[TD_SOURCE_TEXT]), (size_t)bytes));
}

/* A file that another source has, too, is copied once; another text under the same name gets a label. */
static bool is_new_file(struct copy_run *run, int64_t *values)
{
    struct td_map *known = &run->copier->files;
    uint32_t row = td_map_get(known, (uint64_t)values[TD_SOURCE_NAME], COPY_NO_MAP);
    if (row == COPY_NO_MAP) {
        row = (uint32_t)td_series_count(td_trace_table(run->to, TD_TABLE_SOURCE));
        run->failed |= td_map_add(known, (uint64_t)values[TD_SOURCE_NAME], row) < 0;
        return true;
    }
    if (is_same_file(run, row, values))
        return false;
    values[TD_SOURCE_NAME] = td_copy_suffix_(run, td_dict_text(run->dict, (uint32_t)values[TD_SOURCE_NAME]));
    return true;
}

static bool keeps_row(struct copy_run *run, enum td_table table, uint64_t row, int64_t *values)
{
    switch (table) {
    case TD_TABLE_APP_INFO:
        return td_copy_app_info_(run, &values[TD_APP_INFO_TEXT]);
    case TD_TABLE_IMAGE:
        return (int64_t)row >= run->image_first && (int64_t)row < run->image_end;
    case TD_TABLE_POOL:
        if (run->ranged)
            values[TD_POOL_USAGE] = active_bytes(run, row);
        return row < run->pools_count && run->pools[row] != COPY_NO_MAP;
    case TD_TABLE_SOURCE:
        return !run->apart || is_new_file(run, values);
    default:
        return !has_none_row(table) || row || !td_series_count(td_trace_table(run->to, table));
    }
}

static int append_rows(struct copy_run *run, enum td_table table, struct td_series *to, uint64_t first,
                       unsigned count, int64_t columns[][TD_SERIES_ROWS], const uint8_t *keep)
{
    const struct td_table_shape *shape = td_table_get_shape(table);
    unsigned time = td_trace_time_column_(table);
    for (unsigned i = 0; i < count; i++) {
        int64_t row[TD_SERIES_COLUMNS];
        for (unsigned c = 0; c < shape->columns; c++)
            row[c] = columns[c][i];
        if (!keep[i] || !keeps_row(run, table, first + i, row))
            continue;
        if (move_blobs(run, shape, row) < 0 || td_series_append(to, row) < 0)
            return TD_E_NOMEM;
        if (time < TD_SERIES_COLUMNS)
            td_trace_note_time_(run->to, table, row[time]);
    }
    return 0;
}

/* Lines of APP_INFO are moved one by one. */
static void move_columns(struct copy_run *run, enum td_table table, int64_t columns[][TD_SERIES_ROWS],
                         unsigned count)
{
    unsigned all = table == TD_TABLE_APP_INFO ? 0 : td_table_get_shape(table)->columns;
    for (unsigned c = 0; c < all; c++)
        move_column(run, table, c, columns[c], count);
}

static void note_last_time(struct copy_run *run, enum td_table table, int64_t columns[][TD_SERIES_ROWS],
                           unsigned count, const uint8_t *keep)
{
    const struct td_table_shape *shape = td_table_get_shape(table);
    for (unsigned c = 0; c < shape->columns; c++)
        for (unsigned i = 0; i < count && shape->column[c].type == TD_TYPE_TIME; i++)
            if (keep[i] && columns[c][i] > run->to->last_time_ns && columns[c][i] != TD_OPEN)
                run->to->last_time_ns = columns[c][i];
}

static int copy_list(struct copy_run *run, enum td_table table, uint64_t parent)
{
    const struct td_series *from = td_trace_list(run->from, table, parent);
    uint64_t count = td_series_count(from);
    uint64_t to_parent = td_table_get_shape(table)->each && count ? move_parent(run, table, parent) : 0;
    struct td_series *to =
        count && to_parent != UINT64_MAX ? td_trace_fill_list(run->to, table, to_parent) : NULL;
    if (!count || to_parent == UINT64_MAX)
        return 0;
    if (!to)
        return TD_E_NOMEM;
    if (to->loose && !to->count) /* rows of a copy do not change */
        td_series_tighten(to);
    uint64_t begin = td_copy_list_begin_(run, table, parent);
    for (uint64_t first = td_series_first(from); first < count; first += TD_SERIES_ROWS) {
        int64_t columns[TD_SERIES_COLUMNS][TD_SERIES_ROWS];
        uint8_t keep[TD_SERIES_ROWS];
        unsigned n = count - first < TD_SERIES_ROWS ? (unsigned)(count - first) : TD_SERIES_ROWS;
        td_copy_select_(run, table, parent, begin, first, n, keep);
        if (!memchr(keep, 1, n))
            continue;
        for (unsigned c = 0; c < from->columns; c++)
            td_series_read(from, c, first, n, columns[c]);
        move_columns(run, table, columns, n);
        note_last_time(run, table, columns, n, keep);
        if (append_rows(run, table, to, first, n, columns, keep) < 0 || run->failed)
            return TD_E_NOMEM;
    }
    return 0;
}

static uint64_t after_greatest(const struct copy_run *run, enum td_table table, unsigned column,
                               uint64_t least)
{
    return td_copy_after_greatest_(td_trace_table(run->to, table), column, INT32_MAX, least);
}

int td_copy_tables_(struct copy_run *run)
{
    struct td_copier *copier = run->copier;
    int rc = 0;
    td_copy_find_images_(run);
    for (unsigned t = 0; rc == 0 && t < TD_TABLE_COUNT; t++) {
        enum td_table table = (enum td_table)t;
        uint64_t lists = td_trace_lists(run->from, table);
        for (uint64_t i = 0; rc == 0 && i < lists && !is_left_out(run, table); i++)
            rc = copy_list(run, table, i);
    }
    copier->next_category = after_greatest(run, TD_TABLE_SECTION, TD_SECTION_CATEGORY, copier->next_category);
    copier->next_category =
        after_greatest(run, TD_TABLE_SECTION_CATEGORY, TD_SECTION_CATEGORY_CATEGORY, copier->next_category);
    copier->next_parameter =
        after_greatest(run, TD_TABLE_PARAMETER, TD_PARAMETER_INDEX, copier->next_parameter);
    return rc;
}
