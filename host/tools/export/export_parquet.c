/* Files of Parquet: one for each table, in a folder, or a file with one table. Columns are those of SQL, and are filled from
 * the tables' descriptions. Groups of rows follow each other in time where the table has times. */
#include "host/base/grow.h"
#include "host/base/stream.h"
#include "host/event/map.h"
#include "host/query/table/time_slices.h"
#include "host/tools/export/export_folder.h"
#include "host/tools/export/export_tables.h"
#include "host/tools/export/parquet_file.h"
#include "host/tools/files/text_output.h"

#define GROUP_ROWS 131072
#define ENDING     ".parquet"
#define NO_TEXT    (UINT32_MAX - 1)

struct table_file {
    const struct export_work *work;
    const struct export_table *table;
    const struct td_query_rows *rows;
    struct td_time_slices slices;
    struct parquet_file *file;
    struct parquet_column *columns;
    struct td_map
        known; /* of a column that follows from another: the text's number, or NO_TEXT, by that one's value */
    uint32_t *present;
    int64_t *value;
    char room[TD_QUERY_ROOM], leader_room[TD_QUERY_ROOM];
};

/* ---- columns ---- */

static enum parquet_kind kind_of(const struct td_sql_column *column)
{
    return !strcmp(column->type, "TEXT")   ? PARQUET_TEXTS
           : !strcmp(column->type, "REAL") ? PARQUET_REALS
                                           : PARQUET_INTEGERS;
}

/* The column that decides which text it is: also a track, for its name. NULL: none. */
static const struct td_query_column *leader_of(const struct table_file *t, const struct td_sql_column *column)
{
    return column->column->type == TD_AS_TRACK ? column->column
                                               : td_query_leader(t->table->described, column->column);
}

static void put_number(struct table_file *t, struct td_query_value value, bool is_real, size_t row,
                       size_t *values)
{
    t->present[row] = value.kind != TD_IS_NONE;
    if (value.kind == TD_IS_NONE)
        return;
    t->value[(*values)++] = is_real && value.kind == TD_IS_INT ? td_is_real((double)value.i).i : value.i;
}

static void put_numbers(struct table_file *t, const struct td_sql_column *column)
{
    const bool is_real = kind_of(column) == PARQUET_REALS;
    const struct td_query_column *leader = td_query_leader(t->table->described, column->column);
    struct td_query_value value = {.kind = TD_IS_NONE};
    uint64_t last = UINT64_MAX;
    size_t row = 0, values = 0;
    for (size_t r = 0; r < t->slices.runs; r++) {
        const struct td_row_run run = t->slices.run[r];
        for (uint64_t i = run.first; i < run.first + run.count; i++) {
            const uint64_t by = leader ? td_query_get(t->rows, i, leader, t->leader_room).u : 0;
            if (!leader || by != last)
                value = td_sql_value(t->rows, i, column, t->room);
            last = by;
            put_number(t, value, is_real, row++, &values);
        }
    }
    parquet_put_numbers(t->file, t->present, t->value, values);
}

static uint32_t put_text(struct table_file *t, const struct td_sql_column *column, uint64_t row)
{
    const struct td_query_value value = td_sql_value(t->rows, row, column, t->room);
    const bool is_made_up = value.text >= t->room && value.text < t->room + sizeof t->room;
    if (value.kind == TD_IS_TEXT)
        return parquet_add_text(t->file, value.text, value.bytes, !is_made_up);
    parquet_add_no_text(t->file);
    return NO_TEXT;
}

static void put_texts(struct table_file *t, const struct td_sql_column *column)
{
    const struct td_query_column *leader = leader_of(t, column);
    uint64_t last = 0;
    uint32_t number = UINT32_MAX;
    for (size_t r = 0; r < t->slices.runs; r++) {
        const struct td_row_run run = t->slices.run[r];
        for (uint64_t i = run.first; i < run.first + run.count; i++) {
            if (!leader) {
                put_text(t, column, i);
                continue;
            }
            const struct td_query_value by = td_query_get(t->rows, i, leader, t->leader_room);
            if (number == UINT32_MAX || by.u != last)
                number = td_map_get(&t->known, by.u, UINT32_MAX);
            last = by.u;
            if (number == NO_TEXT)
                parquet_add_no_text(t->file);
            else if (number != UINT32_MAX)
                parquet_add_text_again(t->file, number);
            else if ((number = put_text(t, column, i)) != UINT32_MAX)
                td_map_set(&t->known, by.u, number);
        }
    }
    parquet_end_texts(t->file);
    td_map_finish(&t->known);
}

/* ---- groups ---- */

static int write_groups(struct table_file *t, struct td_err *err)
{
    const struct td_progress *p = t->work->progress;
    uint64_t done = 0, rows;
    while ((rows = td_time_slices_next(&t->slices, GROUP_ROWS))) {
        parquet_begin_group(t->file, rows);
        for (size_t c = 0; c < t->table->count; c++)
            (t->columns[c].kind == PARQUET_TEXTS ? put_texts : put_numbers)(t, &t->table->columns[c]);
        parquet_end_group(t->file);
        done += rows;
        if (parquet_is_bad(t->file))
            break;
        if (p && p->step && p->step(p->self, done, t->rows->count) != 0)
            return td_fail(err, TD_E_STOPPED, "stopped");
    }
    return 0;
}

static int write_rows(struct table_file *t, FILE *to, struct td_err *err)
{
    const struct td_trace_info *info = td_trace_get_info(t->work->trace);
    const struct parquet_key keys[] = {{"tendril.table", t->table->name},
                                       {"tendril.program", info->program ? info->program : ""},
                                       {"tendril.host", info->host_info ? info->host_info : ""}};
    for (size_t c = 0; c < t->table->count; c++)
        t->columns[c] = (struct parquet_column){t->table->columns[c].name, kind_of(&t->table->columns[c])};
    t->file = parquet_create(to, t->columns, t->table->count);
    if (!t->file)
        return td_fail_no_memory(err, NULL);
    int rc = write_groups(t, err);
    rc = rc ? rc : parquet_end(t->file, keys, sizeof keys / sizeof *keys, err);
    parquet_destroy(t->file);
    return rc;
}

static int write_table(const struct export_work *work, const struct export_table *table, FILE *to,
                       struct td_err *err)
{
    const struct td_query_request all = td_query_all(work->trace);
    int rc;
    struct td_query_rows *rows = td_query_make(table->described, &all, &rc);
    if (!rows)
        return td_fail_no_memory(err, NULL);
    const size_t room = rows->count < GROUP_ROWS ? (size_t)rows->count + 1 : GROUP_ROWS;
    struct table_file t = {.work = work,
                           .table = table,
                           .rows = rows,
                           .columns = calloc(table->count, sizeof *t.columns),
                           .present = malloc(room * sizeof *t.present),
                           .value = malloc(room * sizeof *t.value)};
    rc = t.columns && t.present && t.value && td_time_slices_init(&t.slices, rows) == 0
             ? write_rows(&t, to, err)
             : td_fail_no_memory(err, NULL);
    td_time_slices_free(&t.slices);
    td_map_finish(&t.known);
    free(t.columns);
    free(t.present);
    free(t.value);
    td_query_free(rows);
    return rc;
}

/* ---- files ---- */

struct parquet_folder {
    const struct export_work *work;
    const char *path;
};

static int write_in_folder(void *self, const struct export_table *table, struct td_err *err)
{
    const struct parquet_folder *folder = self;
    FILE *to = export_open_file(folder->path, table->name, ENDING, err);
    if (!to)
        return err->code;
    const int rc = write_table(folder->work, table, to, err);
    if (!td_stream_close(to) && rc == 0)
        return td_fail_errno(err, "cannot write '%s'", folder->work->path);
    return rc;
}

static int fill_folder(const struct export_work *work, const char *path, struct td_err *err)
{
    struct parquet_folder folder = {work, path};
    return export_each_table(work, write_in_folder, &folder, err);
}

struct parquet_output {
    const struct export_work *work;
    FILE *to;
};

static int write_alone(void *self, const struct export_table *table, struct td_err *err)
{
    const struct parquet_output *output = self;
    return write_table(output->work, table, output->to, err);
}

/* One table: `zones`, if none was chosen. */
static int write_file(const struct export_work *work, struct td_err *err)
{
    struct export_work one = *work;
    struct text_output output;
    if (work->tables.count > 1)
        return td_fail(err, TD_E_USAGE, "'%s' is a file, which has one table: give a folder for several",
                       work->path);
    if (!work->tables.count)
        one.tables.words[one.tables.count++] = "zones";
    int rc = text_output_open(&output, work->path, TD_OUT_KEEP_OLD, false, err);
    struct parquet_output alone = {&one, output.to};
    rc = rc ? rc : export_each_table(&one, write_alone, &alone, err);
    return text_output_close(&output, rc, err);
}

int export_parquet(const struct export_work *work, struct td_err *err)
{
    const size_t bytes = strlen(work->path), end = strlen(ENDING);
    const bool is_file =
        !strcmp(work->path, "-") || (bytes > end && !strcmp(work->path + bytes - end, ENDING));
    return is_file ? write_file(work, err) : export_folder(work, ENDING, fill_folder, err);
}
