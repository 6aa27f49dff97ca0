/* What a question may do: read tables, call functions, and read the schema through harmless pragmas. All else is refused
 * when the statement is compiled: statements that write, ATTACH, other pragmas, loading extensions. SQLite's functions
 * that read files are not in its library. */
#include "host/query/sql/sql_internal.h"

static bool is_harmless_pragma(const char *name)
{
    static const char *const names[] = {"table_info",    "table_xinfo",    "table_list",
                                        "function_list", "collation_list", "compile_options",
                                        "module_list",   "pragma_list",    "database_list"};
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (!sqlite3_stricmp(names[i], name))
            return true;
    return false;
}

static int may_do(void *self, int action, const char *first, const char *second, const char *schema,
                  const char *inner)
{
    const struct td_sql *sql = self;
    if (!sql->is_sealed)
        return SQLITE_OK;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return second && (!sqlite3_stricmp(second, "load_extension") ||
                          !sqlite3_stricmp(second, "fts3_tokenizer"))
                   ? SQLITE_DENY
                   : SQLITE_OK;
    case SQLITE_PRAGMA:
        return is_harmless_pragma(first) ? SQLITE_OK : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

int td_sql_declare(struct td_sql *sql, const char *declaration)
{
    const bool was_sealed = sql->is_sealed;
    sql->is_sealed = false;
    const int rc = sqlite3_declare_vtab(sql->db, declaration);
    sql->is_sealed = was_sealed;
    return rc;
}

void td_sql_allow_reading(struct td_sql *sql)
{
    static const struct {
        int what, most;
    } limits[] = {{SQLITE_LIMIT_LENGTH, 64 << 20},  {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
                  {SQLITE_LIMIT_EXPR_DEPTH, 200},   {SQLITE_LIMIT_COMPOUND_SELECT, 100},
                  {SQLITE_LIMIT_VDBE_OP, 1000000},  {SQLITE_LIMIT_WORKER_THREADS, 0},
                  {SQLITE_LIMIT_TRIGGER_DEPTH, 10}, {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000}};
    static const int off[] = {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER,
                              SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_WRITABLE_SCHEMA};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(sql->db, limits[i].what, limits[i].most);
    for (size_t i = 0; i < sizeof off / sizeof *off; i++)
        sqlite3_db_config(sql->db, off[i], 0, NULL);
    sqlite3_db_config(sql->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_set_authorizer(sql->db, may_do, sql);
}
