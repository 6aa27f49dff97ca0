/* Virtual tables: the rows of a table's description, one after the other, or those between two that are found by what
 * the table is sorted by. The rows of `zones` come from a scan (zones_plan.c). */
#include "host/query/rows/zone_scan.h"
#include "host/query/sql/sql_internal.h"
#include "host/base/sorted.h"
#include "host/query/table/tables.h"

#include <stdlib.h>
#include <string.h>

#define UNKNOWN_ROWS 10000 /* of a table that was not made yet */
#define DOWN         1     /* in the number of a plan */

struct cursor {
    sqlite3_vtab_cursor base;
    const struct td_query_rows *rows;
    struct td_zone_scan *scan; /* NULL: rows from `row` to before `end` */
    uint64_t row, first, end;
    bool down, at_end, by_number; /* by_number: zones in the order of their numbers */
    char room[TD_QUERY_ROOM];
};

static struct td_sql_table_of *table_of(sqlite3_vtab *vtab)
{
    return (struct td_sql_table_of *)(void *)vtab;
}

static bool is_zones(const struct td_sql_table_of *table)
{
    return td_sql_shape_of(table)->table == &td_table_zones;
}

/* ---- connecting ---- */

static char *declaration_of(const struct td_sql_shape *shape)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    for (size_t c = 0; c < shape->columns; c++)
        sqlite3_str_appendf(text, "%s\"%w\" %s", c ? ", " : "CREATE TABLE x(", shape->column[c].name,
                            shape->column[c].type);
    sqlite3_str_appendall(text, ")");
    return sqlite3_str_finish(text);
}

/* argv[1] is the schema, argv[2] the table. */
static int connect_table(sqlite3 *db, void *self, int argc, const char *const *argv, sqlite3_vtab **vtab,
                         char **error)
{
    struct td_sql *sql = self;
    struct td_sql_table_of *table = calloc(1, sizeof *table);
    int rc = table ? SQLITE_ERROR : SQLITE_NOMEM;
    for (size_t t = 0; table && t < sql->traces; t++)
        for (size_t s = 0; s < sql->shapes; s++)
            if (!sqlite3_stricmp(sql->trace[t].schema, argv[1]) && !strcmp(sql->shape[s].name, argv[2])) {
                char *declaration = declaration_of(&sql->shape[s]);
                *table = (struct td_sql_table_of){.sql = sql, .trace = &sql->trace[t], .shape = s};
                rc = declaration ? td_sql_declare(sql, declaration) : SQLITE_NOMEM;
                sqlite3_free(declaration);
            }
    if (rc != SQLITE_OK)
        free(table);
    else
        *vtab = &table->base;
    return rc;
}

static int disconnect_table(sqlite3_vtab *vtab)
{
    free(vtab);
    return SQLITE_OK;
}

/* ---- plans ---- */

static int find_constraint(const sqlite3_index_info *info, int column, bool equal, bool lower, char *op)
{
    for (int i = 0; i < info->nConstraint; i++) {
        const char it = td_sql_op(info->aConstraint[i].op);
        if (!info->aConstraint[i].usable || info->aConstraint[i].iColumn != column || !it)
            continue;
        if (equal ? it == '=' : it != '=' && (it == '>' || it == ']') == lower) {
            *op = it;
            return i;
        }
    }
    return -1;
}

/* Whether the rows come in the order that is asked for: the columns after those that are equal to something. */
static bool is_sorted(const struct td_sql_shape *shape, size_t equals, bool rises,
                      const sqlite3_index_info *info, bool *down)
{
    *down = info->nOrderBy && info->aOrderBy[0].desc;
    size_t at = 0;
    if (info->nOrderBy && !rises)
        return false;
    for (int i = 0; i < info->nOrderBy; i++) {
        if ((info->aOrderBy[i].desc != 0) != *down)
            return false;
        while (at < equals && shape->rises[at] != info->aOrderBy[i].iColumn)
            at++;
        if (at >= shape->rise_count || shape->rises[at++] != info->aOrderBy[i].iColumn)
            return false;
    }
    return true;
}

static uint64_t count_of(const struct td_sql_table_of *table)
{
    const struct td_query_rows *rows = table->trace->rows[table->shape];
    return rows ? rows->count : UNKNOWN_ROWS;
}

static int plan_table(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
    struct td_sql_table_of *table = table_of(vtab);
    const struct td_sql_shape *shape = td_sql_shape_of(table);
    struct td_sql_plan plan = {0};
    double rows = (double)count_of(table);
    size_t equals = 0;
    char op;
    if (is_zones(table))
        return td_sql_plan_zones(table, info);
    /* Rows of a trace that grows are as they came. */
    const bool rises = td_trace_is_finished(table->trace->trace);
    for (; rises && equals < shape->rise_count; equals++) {
        const int i = find_constraint(info, shape->rises[equals], true, false, &op);
        if (i < 0)
            break;
        td_sql_plan_add(&plan, info, i, shape->rises[equals], op);
        rows = equals + 1 == shape->rise_count ? rows / 1000 : rows / 30;
    }
    for (int lower = 0; rises && lower < 2 && equals < shape->rise_count; lower++) {
        const int i = find_constraint(info, shape->rises[equals], false, lower != 0, &op);
        if (i >= 0) {
            td_sql_plan_add(&plan, info, i, shape->rises[equals], op);
            rows /= 4;
        }
    }
    bool down;
    info->orderByConsumed = is_sorted(shape, equals, rises, info, &down);
    info->idxNum = info->orderByConsumed && down ? DOWN : 0;
    info->estimatedRows = rows < 1 ? 1 : (sqlite3_int64)rows;
    info->estimatedCost = (rows < 1 ? 1 : rows) + (plan.arguments ? 20 : 0);
    return td_sql_plan_take(&plan, info);
}

/* ---- searching ---- */

static int64_t number_at(const struct cursor *c, const struct td_sql_shape *shape, size_t rise, uint64_t row)
{
    char room[TD_QUERY_ROOM];
    return td_query_get(c->rows, row, shape->column[shape->rises[rise]].column, room).i;
}

/* Whether the row is before the key. `equal`: also a row that is equal to it. */
static bool is_before(const struct cursor *c, const struct td_sql_shape *shape, const int64_t *key,
                      size_t keys, bool equal, uint64_t row)
{
    for (size_t k = 0; k < keys; k++) {
        const int64_t value = number_at(c, shape, k, row);
        if (value != key[k])
            return value < key[k];
    }
    return equal;
}

/* The first row that is not before the key. `after`: nor equal to it. */
static uint64_t find_row(const struct cursor *c, const struct td_sql_shape *shape, const int64_t *key,
                         size_t keys, bool after)
{
    uint64_t low = 0, high = c->rows->count;
    TD_BISECT(low, high, at, is_before(c, shape, key, keys, after, at));
    return low;
}

static void find_rows(struct cursor *c, const struct td_sql_shape *shape, const char *plan, int count,
                      sqlite3_value **values)
{
    int64_t from[TD_SQL_RISES], to[TD_SQL_RISES];
    size_t keys = 0;
    for (int i = 0; i < count && keys < shape->rise_count;) {
        struct td_sql_bounds bounds = td_sql_no_bounds();
        const char column = plan[2 * i];
        for (; i < count && plan[2 * i] == column; i++)
            td_sql_bound(&bounds, plan[2 * i + 1], values[i]);
        if (bounds.from > bounds.to) {
            c->first = c->end = 0;
            return;
        }
        from[keys] = bounds.from;
        to[keys++] = bounds.to;
        if (bounds.from != bounds.to)
            break;
    }
    c->first = keys ? find_row(c, shape, from, keys, false) : 0;
    c->end = keys ? find_row(c, shape, to, keys, true) : c->rows->count;
}

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor)
{
    struct cursor *c = calloc(1, sizeof *c);
    if (!c)
        return SQLITE_NOMEM;
    *cursor = &c->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
    struct td_sql *sql = table_of(cursor->pVtab)->sql;
    if (sql->outer == cursor)
        sql->outer = NULL;
    td_zone_scan_end(((struct cursor *)(void *)cursor)->scan);
    free(cursor);
    return SQLITE_OK;
}

/* How far the outermost loop is: the number of the zone, where zones come in that order, else how many rows came. */
static void look_at_outer(struct td_sql *sql, const struct cursor *c)
{
    sql->outer_done = c->by_number ? c->row : sql->outer_done + 1;
    if (c->at_end)
        sql->outer = NULL;
}

/* The loop around all others begins first, but for what SQLite reads before it begins. */
static void begin_outer(struct td_sql *sql, const struct cursor *c)
{
    if (sql->outer)
        return;
    sql->outer = c;
    sql->outer_done = 0;
    sql->outer_rows = c->scan ? c->rows->count : c->end - c->first;
}

static int next_row(sqlite3_vtab_cursor *cursor)
{
    struct cursor *c = (void *)cursor;
    struct td_sql *sql = table_of(cursor->pVtab)->sql;
    sql->read++;
    if (c->scan)
        c->at_end = !td_zone_scan_next(c->scan, &c->row);
    else if (c->first == c->end)
        c->at_end = true;
    else
        c->row = c->down ? --c->end : c->first++;
    if (sql->outer == c)
        look_at_outer(sql, c);
    return c->at_end && td_job_cancelled(&sql->job) ? SQLITE_INTERRUPT : SQLITE_OK;
}

static int filter_rows(sqlite3_vtab_cursor *cursor, int number, const char *plan, int count,
                       sqlite3_value **values)
{
    struct cursor *c = (void *)cursor;
    struct td_sql_table_of *table = table_of(cursor->pVtab);
    int rc = 0;
    td_zone_scan_end(c->scan);
    c->scan = NULL;
    c->at_end = false;
    c->rows = td_sql_rows(table->sql, table->trace, table->shape, &rc);
    if (!c->rows)
        return td_sql_code(rc);
    c->down = number & DOWN;
    if (is_zones(table)) {
        c->scan = td_sql_scan_zones(table, c->rows, number, plan, count, values, &rc);
        c->by_number = !number;
        if (!c->scan)
            return td_sql_code(rc);
    } else {
        find_rows(c, td_sql_shape_of(table), plan, count, values);
    }
    begin_outer(table->sql, c);
    return next_row(cursor);
}

static int is_at_end(sqlite3_vtab_cursor *cursor)
{
    return ((struct cursor *)(void *)cursor)->at_end;
}

/* ---- values ---- */

static void give_text(sqlite3_context *to, const struct cursor *c, const char *text, size_t bytes)
{
    const bool is_made_up = text >= c->room && text < c->room + sizeof c->room;
    sqlite3_result_text64(to, text, bytes, is_made_up ? SQLITE_TRANSIENT : SQLITE_STATIC, SQLITE_UTF8);
}

static void give_value(sqlite3_context *to, const struct cursor *c, const struct td_query_value *value)
{
    if (value->kind == TD_IS_INT)
        sqlite3_result_int64(to, value->i);
    else if (value->kind == TD_IS_REAL)
        sqlite3_result_double(to, value->real);
    else if (value->kind == TD_IS_TEXT)
        give_text(to, c, value->text, value->bytes);
    else
        sqlite3_result_null(to);
}

static int get_column(sqlite3_vtab_cursor *cursor, sqlite3_context *to, int number)
{
    struct cursor *c = (void *)cursor;
    const struct td_sql_column *column = &td_sql_shape_of(table_of(cursor->pVtab))->column[number];
    size_t bytes;
    const char *name = c->scan && !strcmp(column->name, "name") ? td_zone_scan_name(c->scan, &bytes) : NULL;
    if (name) {
        give_text(to, c, name, bytes);
        return SQLITE_OK;
    }
    const struct td_query_value value = td_sql_value(c->rows, c->row, column, c->room);
    give_value(to, c, &value);
    return SQLITE_OK;
}

static int get_number(sqlite3_vtab_cursor *cursor, sqlite3_int64 *number)
{
    *number = (sqlite3_int64)((struct cursor *)(void *)cursor)->row;
    return SQLITE_OK;
}

int td_sql_register_tables(struct td_sql *sql)
{
    static const sqlite3_module module = {.iVersion = 1,
                                          .xCreate = connect_table,
                                          .xConnect = connect_table,
                                          .xBestIndex = plan_table,
                                          .xDisconnect = disconnect_table,
                                          .xDestroy = disconnect_table,
                                          .xOpen = open_cursor,
                                          .xClose = close_cursor,
                                          .xFilter = filter_rows,
                                          .xNext = next_row,
                                          .xEof = is_at_end,
                                          .xColumn = get_column,
                                          .xRowid = get_number};
    return sqlite3_create_module(sql->db, "tendril", &module, sql);
}
