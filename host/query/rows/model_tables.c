/* The model's own tables: each is also a table here, with the same columns. In those with a list for each parent (a
 * lock, a track ...), the first column is the parent's number. Blobs have no columns. */
#include "host/query/rows/model_tables.h"
#include "host/query/table/list_rows.h"
#include "host/trace/tables.h"

struct model_rows {
    struct td_query_rows rows;
    enum td_table table;
    struct td_list_rows lists; /* of a table with one list: none */
};

static struct td_query_value get_parent(const struct td_query_rows *rows, uint64_t row,
                                        const struct td_query_column *column, char *room)
{
    return td_is_uint(td_list_rows_find(&((const struct model_rows *)rows)->lists, &row));
}

static struct td_query_value get_cell(const struct td_query_rows *rows, uint64_t row,
                                      const struct td_query_column *column, char *room)
{
    const struct model_rows *r = (const void *)rows;
    const uint64_t list = td_list_rows_find(&r->lists, &row);
    const int64_t value = td_series_get(td_trace_list(rows->of.trace, r->table, list), row, column->at);
    double real;
    switch (td_table_get_shape(r->table)->column[column->at].type) {
    case TD_TYPE_STRING:
        return td_is_string(rows->dict, value);
    case TD_TYPE_SRCLOC:
        return td_is_text(td_dict_zone_name(rows->dict, (uint32_t)value));
    case TD_TYPE_F64:
        memcpy(&real, &value, sizeof real);
        return td_is_real(real);
    case TD_TYPE_THREAD:
        return td_is_uint((uint64_t)value);
    default:
        return td_is_int(value);
    }
}

static int make_model_rows(struct td_query_rows *rows)
{
    struct model_rows *r = (void *)rows;
    const struct td_trace *trace = rows->of.trace;
    r->table = (enum td_table)(rows->table - td_model_tables);
    if (!td_table_get_shape(r->table)->each) {
        rows->count = td_series_count(td_trace_table(trace, r->table));
        return 0;
    }
    return td_list_rows_make(&r->lists, trace, r->table, &rows->count);
}

static void free_model_rows(struct td_query_rows *rows)
{
    td_list_rows_free(&((struct model_rows *)rows)->lists);
}

/* clang-format off */
#define OF_ONE
#define OF_EACH               {"parent", "Parent", TD_AS_ID, 76, get_parent, 0},
#define CELL(table, name, as) {#name, #name, TD_AS_##as, 92, get_cell, TD_##table##_##name},
#define BLOB(table, name)
#define TIME(table, name)   CELL(table, name, TIME)
#define STRING(table, name) CELL(table, name, TEXT)
#define SRCLOC(table, name) CELL(table, name, TEXT)
#define F64(table, name)    CELL(table, name, NUMBER)
#define INT(table, name)    CELL(table, name, NUMBER)
#define TRACK(table, name)  CELL(table, name, ID)
#define ADDRESS(table, name)   CELL(table, name, NUMBER)
#define FRAME(table, name)     CELL(table, name, NUMBER)
#define CPU(table, name)       CELL(table, name, NUMBER)
#define PACKAGE(table, name)   CELL(table, name, NUMBER)
#define LOCK(table, name)      CELL(table, name, NUMBER)
#define CATEGORY(table, name)  CELL(table, name, NUMBER)
#define PARAMETER(table, name) CELL(table, name, NUMBER)
#define IMAGE(table, name)     CELL(table, name, NUMBER)
#define STACK(table, name)  CELL(table, name, ID)
#define THREAD(table, name) CELL(table, name, ID)
#define COLOR(table, name)  CELL(table, name, ID)
#define END(table, name)    CELL(table, name, ID)
#define COLUMN(table, name, type) type(table, name)
#define COLUMNS(name, of, loose)  static const struct td_query_column columns_##name[] = {OF_##of TD_##name##_COLUMNS(COLUMN)};
TD_TABLES(COLUMNS)
/* clang-format on */

const struct td_query_table td_model_tables[TD_TABLE_COUNT] = {
#define TABLE(table, of, loose)                                                                              \
    {.name = #table,                                                                                         \
     .about = "a row of the model",                                                                          \
     .columns = columns_##table,                                                                             \
     .column_count = sizeof columns_##table / sizeof *columns_##table,                                       \
     .rows_bytes = sizeof(struct model_rows),                                                                \
     .make = make_model_rows,                                                                                \
     .free = free_model_rows},
    TD_TABLES(TABLE)};
