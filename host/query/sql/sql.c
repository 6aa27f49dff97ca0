#include "host/query/sql/sql.h"
#include "host/base/clock.h"
#include "host/query/rows/model_tables.h"
#include "host/query/sql/sql_internal.h"
#include "host/query/table/tables.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- shapes ---- */

static const char *type_of(enum td_query_type type)
{
    switch (type) {
    case TD_AS_TEXT:
        return "TEXT";
    case TD_AS_SHARE:
    case TD_AS_NUMBER:
    case TD_AS_MEAN:
        return "REAL";
    default:
        return "INTEGER";
    }
}

static void add_column(struct td_sql_shape *shape, const struct td_query_column *column, const char *end)
{
    const size_t c = shape->columns++;
    char *name = shape->id_name[c];
    snprintf(name, sizeof shape->id_name[c], "%s%s", column->key, end);
    for (char *letter = name; *letter; letter++)
        *letter = (char)tolower((unsigned char)*letter);
    const bool is_name = column->type == TD_AS_TRACK && !*end;
    shape->column[c] = (struct td_sql_column){.name = name,
                                              .type = is_name ? "TEXT" : type_of(column->type),
                                              .column = column,
                                              .is_track_id = *end};
}

static void find_rises(struct td_sql_shape *shape)
{
    const char *name = shape->table->rises;
    while (name && *name && shape->rise_count < TD_SQL_RISES) {
        const size_t bytes = strcspn(name, " ");
        for (size_t c = 0; c < shape->columns; c++) {
            const struct td_sql_column *column = &shape->column[c];
            if (strlen(column->column->key) == bytes && !strncmp(column->column->key, name, bytes) &&
                (column->column->type != TD_AS_TRACK || column->is_track_id))
                shape->rises[shape->rise_count++] = (int)c;
        }
        name += bytes + (name[bytes] == ' ');
    }
}

static void make_shape(struct td_sql_shape *shape, const struct td_query_table *table, const char *before)
{
    shape->table = table;
    snprintf(shape->name, sizeof shape->name, "%s%s", before, table->name);
    for (char *letter = shape->name; *letter; letter++)
        *letter = (char)tolower((unsigned char)*letter);
    for (size_t c = 0; c < table->column_count && shape->columns + 2 <= TD_SQL_COLUMNS; c++) {
        add_column(shape, &table->columns[c], "");
        if (table->columns[c].type == TD_AS_TRACK)
            add_column(shape, &table->columns[c], "_id");
    }
    find_rises(shape);
}

static int make_shapes(struct td_sql *sql)
{
    size_t count = 0;
    while (td_query_tables[count])
        count++;
    sql->shape = calloc(count + TD_TABLE_COUNT, sizeof *sql->shape);
    for (size_t i = 0; sql->shape && i < count; i++)
        make_shape(&sql->shape[sql->shapes++], td_query_tables[i], "");
    for (size_t i = 0; sql->shape && i < TD_TABLE_COUNT; i++)
        if (td_model_tables[i].column_count)
            make_shape(&sql->shape[sql->shapes++], &td_model_tables[i], "model_");
    return sql->shape ? 0 : TD_E_NOMEM;
}

size_t td_sql_tables(const struct td_sql *sql)
{
    return sql->shapes;
}

const char *td_sql_table(const struct td_sql *sql, size_t table, const struct td_sql_column **columns,
                         size_t *count, const struct td_query_table **described)
{
    const struct td_sql_shape *shape = &sql->shape[table];
    *columns = shape->column;
    *count = shape->columns;
    *described = shape->table;
    return shape->name;
}

/* ---- opening ---- */

static int fail_sqlite(struct td_sql *sql, struct td_err *err)
{
    return td_fail(err, TD_E_NOMEM, "cannot prepare SQLite: %s",
                   sql->db ? sqlite3_errmsg(sql->db) : "no memory");
}

/* Functions that give rows declare their columns when they are first used, which counts as a statement that writes. */
static const char first_use[] =
    "PRAGMA temp_store = MEMORY;"
    "SELECT 1 FROM overlaps('SELECT 1, 2, 3', 'SELECT 1, 2, 3'), json_each('[]'), json_tree('[]'),"
    " pragma_table_info('x'), pragma_table_xinfo('x'), pragma_table_list, pragma_function_list,"
    " pragma_database_list, pragma_collation_list, pragma_compile_options, pragma_module_list, "
    "pragma_pragma_list"
    " LIMIT 1";

struct td_sql *td_sql_open(uint64_t heap_bytes, struct td_err *err)
{
    struct td_sql *sql = calloc(1, sizeof *sql);
    if (!sql) {
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    sqlite3_hard_heap_limit64((sqlite3_int64)(heap_bytes ? heap_bytes : TD_SQL_HEAP_BYTES));
    if (make_shapes(sql) < 0 ||
        sqlite3_open_v2(":memory:", &sql->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY,
                        NULL) != SQLITE_OK ||
        td_sql_register_tables(sql) != SQLITE_OK || td_sql_register_functions(sql) != SQLITE_OK ||
        td_sql_register_overlaps(sql) != SQLITE_OK || td_sql_register_count(sql) != SQLITE_OK ||
        sqlite3_exec(sql->db, first_use, NULL, NULL, NULL) != SQLITE_OK) {
        fail_sqlite(sql, err);
        td_sql_close(sql);
        return NULL;
    }
    td_sql_allow_reading(sql);
    sql->is_sealed = true;
    return sql;
}

void td_sql_forget(struct td_sql *sql)
{
    for (size_t t = 0; t < sql->traces; t++)
        for (size_t s = 0; s < sql->shapes; s++) {
            td_query_free(sql->trace[t].rows[s]);
            sql->trace[t].rows[s] = NULL;
        }
}

void td_sql_close(struct td_sql *sql)
{
    if (!sql)
        return;
    sqlite3_close(sql->db);
    td_sql_forget(sql);
    for (size_t t = 0; t < sql->traces; t++)
        free(sql->trace[t].rows);
    free(sql->shape);
    free(sql);
}

static bool is_schema_name(const struct td_sql *sql, const char *name)
{
    static const char *const taken[] = {"main", "temp"};
    const size_t bytes = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (!*name || name[bytes] || bytes >= sizeof sql->trace[0].schema || isdigit((unsigned char)*name))
        return false;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (!sqlite3_stricmp(name, taken[i]))
            return false;
    for (size_t t = 0; t < sql->traces; t++)
        if (!sqlite3_stricmp(name, sql->trace[t].schema))
            return false;
    return true;
}

static int create_tables(struct td_sql *sql, const char *schema, bool attaches)
{
    sqlite3_str *text = sqlite3_str_new(sql->db);
    if (attaches)
        sqlite3_str_appendf(text, "ATTACH ':memory:' AS \"%w\";", schema);
    sqlite3_str_appendall(text, "BEGIN;");
    for (size_t s = 0; s < sql->shapes; s++)
        sqlite3_str_appendf(text, "CREATE VIRTUAL TABLE \"%w\".\"%w\" USING tendril;", schema,
                            sql->shape[s].name);
    sqlite3_str_appendall(text, "COMMIT");
    char *all = sqlite3_str_finish(text);
    const int rc = all ? sqlite3_exec(sql->db, all, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(all);
    return rc;
}

int td_sql_add(struct td_sql *sql, const char *schema, const struct td_trace *trace, struct td_err *err)
{
    if (sql->traces + (schema != NULL) == sizeof sql->trace / sizeof *sql->trace)
        return td_fail(err, TD_E_LIMIT, "a question can be about at most ten traces");
    if (schema ? !is_schema_name(sql, schema) : sql->traces != 0)
        return td_fail(err, TD_E_USAGE,
                       "'%.60s' cannot be the name of a trace: letters, digits and _ that no other trace has",
                       schema ? schema : "main");
    struct td_sql_trace *added = &sql->trace[sql->traces];
    *added = (struct td_sql_trace){.trace = trace, .rows = calloc(sql->shapes, sizeof *added->rows)};
    if (!added->rows)
        return td_fail_no_memory(err, NULL);
    snprintf(added->schema, sizeof added->schema, "%s", schema ? schema : "main");
    sql->traces++;
    sql->is_sealed = false;
    const int rc = create_tables(sql, added->schema, schema != NULL);
    sql->is_sealed = true;
    return rc == SQLITE_OK ? 0 : fail_sqlite(sql, err);
}

void td_sql_stop(struct td_sql *sql)
{
    __atomic_store_n(&sql->job.cancelled, 1, __ATOMIC_RELAXED);
    sqlite3_interrupt(sql->db);
}
