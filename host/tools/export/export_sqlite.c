/* A database of SQLite with all tables, filled in one transaction. */
#include "host/file/out_file.h"
#include "host/tools/export/export_tables.h"

#include <sqlite3.h>

struct database {
    const struct export_work *work;
    sqlite3 *db;
    sqlite3_stmt *insert;
};

static int fail_write(const struct database *d, struct td_err *err)
{
    return td_fail(err, TD_E_IO, "cannot write '%s': %s", d->work->path,
                   d->db ? sqlite3_errmsg(d->db) : "no memory");
}

static int begin_rows(void *self, const char *const *names, size_t count, struct td_err *err)
{
    return 0;
}

static int end_rows(void *self, struct td_err *err)
{
    return 0;
}

static int bind(sqlite3_stmt *insert, int at, const struct td_query_value *value)
{
    switch (value->kind) {
    case TD_IS_INT:
        return sqlite3_bind_int64(insert, at, value->i);
    case TD_IS_REAL:
        return sqlite3_bind_double(insert, at, value->real);
    case TD_IS_TEXT:
        return sqlite3_bind_text64(insert, at, value->text, value->bytes, SQLITE_STATIC, SQLITE_UTF8);
    default:
        return sqlite3_bind_null(insert, at);
    }
}

static int take_row(void *self, const struct td_query_value *values, size_t count, struct td_err *err)
{
    const struct database *d = self;
    int code = SQLITE_OK;
    for (size_t c = 0; code == SQLITE_OK && c < count; c++)
        code = bind(d->insert, (int)c + 1, &values[c]);
    if (code == SQLITE_OK)
        code = sqlite3_step(d->insert);
    return code == SQLITE_DONE && sqlite3_reset(d->insert) == SQLITE_OK ? 0 : fail_write(d, err);
}

static int create_table(struct database *d, const struct export_table *table, struct td_err *err)
{
    sqlite3_str *create = sqlite3_str_new(NULL), *insert = sqlite3_str_new(NULL);
    for (size_t c = 0; c < table->count; c++)
        sqlite3_str_appendf(create, c ? ", \"%w\" %s" : "(\"%w\" %s", table->columns[c].name,
                            table->columns[c].type);
    for (size_t c = 0; c < table->count; c++)
        sqlite3_str_appendall(insert, c ? ", ?" : "(?");
    char *columns = sqlite3_str_finish(create), *places = sqlite3_str_finish(insert);
    char *text = sqlite3_mprintf("CREATE TABLE \"%w\" %s)", table->name, columns);
    char *row = sqlite3_mprintf("INSERT INTO \"%w\" VALUES %s)", table->name, places);
    const bool made = columns && places && text && row &&
                      sqlite3_exec(d->db, text, NULL, NULL, NULL) == SQLITE_OK &&
                      sqlite3_prepare_v2(d->db, row, -1, &d->insert, NULL) == SQLITE_OK;
    sqlite3_free(columns);
    sqlite3_free(places);
    sqlite3_free(text);
    sqlite3_free(row);
    return made ? 0 : fail_write(d, err);
}

static int write_table(void *self, const struct export_table *table, struct td_err *err)
{
    struct database *d = self;
    const struct td_sql_sink sink = {begin_rows, take_row, end_rows, d};
    int rc = create_table(d, table, err);
    rc = rc ? rc : export_table_rows(d->work, table, &sink, err);
    sqlite3_finalize(d->insert);
    d->insert = NULL;
    return rc;
}

/* Without a journal: an unfinished file is removed as a whole. */
static int fill_database(struct database *d, const char *path, struct td_err *err)
{
    int rc = 0;
    if (sqlite3_open_v2(path, &d->db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
        sqlite3_exec(d->db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN", NULL, NULL, NULL) !=
            SQLITE_OK)
        rc = fail_write(d, err);
    rc = rc ? rc : export_each_table(d->work, write_table, d, err);
    if (rc == 0 && sqlite3_exec(d->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        rc = fail_write(d, err);
    sqlite3_close(d->db);
    return rc;
}

int export_sqlite(const struct export_work *work, struct td_err *err)
{
    struct database d = {.work = work};
    struct td_out_file *file = td_out_file_open(work->path, TD_OUT_KEEP_OLD | TD_OUT_NAMED, err);
    if (!file)
        return err->code;
    int rc = td_out_file_is_direct(file)
                 ? td_fail(err, TD_E_USAGE, "a database needs a file that can be read again: '%s' is none",
                           work->path)
                 : fill_database(&d, td_out_file_unfinished(file), err);
    rc = rc ? rc : td_out_file_commit(file, err);
    td_out_file_close(file);
    return rc;
}
