/* SELECT count(*) FROM TABLE, which the table knows: SQLite would ask a virtual table for one row after the other. The
 * statement is replaced by one that calls a function. */
#include "host/query/sql/sql_internal.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define NAME_BYTES 64

static const char *skip_spaces(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* A word, copied; the place after it, or NULL. */
static const char *take_word(const char *at, char word[NAME_BYTES])
{
    size_t bytes = 0;
    at = skip_spaces(at);
    while (is_letter(at[bytes]) && bytes + 1 < NAME_BYTES)
        bytes++;
    snprintf(word, NAME_BYTES, "%.*s", (int)bytes, at);
    return bytes && !isdigit((unsigned char)*at) && !is_letter(at[bytes]) ? at + bytes : NULL;
}

/* This word, in any case. */
static const char *take_this(const char *at, const char *wanted)
{
    char word[NAME_BYTES];
    at = take_word(at, word);
    return at && !strcasecmp(word, wanted) ? at : NULL;
}

static const char *take_sign(const char *at, char sign)
{
    at = skip_spaces(at);
    return *at == sign ? at + 1 : NULL;
}

/* "count(*)", as it is written, or the name after it. */
static const char *take_count(const char *at, char name[NAME_BYTES])
{
    const char *begin = at = skip_spaces(at), *after;
    if (!(at = take_this(at, "count")) || !(at = take_sign(at, '(')) || !(at = take_sign(at, '*')) ||
        !(at = take_sign(at, ')')) || at - begin >= NAME_BYTES)
        return NULL;
    snprintf(name, NAME_BYTES, "%.*s", (int)(at - begin), begin);
    return (after = take_this(at, "as")) ? take_word(after, name) : at;
}

/* "FROM zones" or "FROM a.zones", and the end of the statement. */
static const char *take_table(const char *at, char schema[NAME_BYTES], char table[NAME_BYTES])
{
    const char *dot;
    *schema = 0;
    if (!(at = take_this(at, "from")) || !(at = take_word(at, table)))
        return NULL;
    if ((dot = take_sign(at, '.'))) {
        snprintf(schema, NAME_BYTES, "%s", table);
        if (!(at = take_word(dot, table)))
            return NULL;
    }
    at = skip_spaces(at);
    return *at == ';' ? at + 1 : *at ? NULL : at;
}

/* Names without a schema are of the first trace. */
static size_t find_trace(const struct td_sql *sql, const char *schema)
{
    size_t t = 0;
    while (*schema && t < sql->traces && sqlite3_stricmp(sql->trace[t].schema, schema) != 0)
        t++;
    return t;
}

char *td_sql_as_count(const struct td_sql *sql, const char *text, const char **next)
{
    char name[NAME_BYTES], schema[NAME_BYTES], table[NAME_BYTES];
    const char *at = take_this(text, "select");
    if (!at || !(at = take_count(at, name)) || !(at = take_table(at, schema, table)))
        return NULL;
    const size_t t = find_trace(sql, schema);
    for (size_t s = 0; t < sql->traces && s < sql->shapes; s++)
        if (!strcasecmp(sql->shape[s].name, table)) {
            *next = at;
            return sqlite3_mprintf("SELECT rows_of_table(%d, %d) AS \"%w\"", (int)t, (int)s, name);
        }
    return NULL;
}

static void count_rows(sqlite3_context *to, int count, sqlite3_value **values)
{
    struct td_sql *sql = sqlite3_user_data(to);
    const sqlite3_int64 t = sqlite3_value_int64(values[0]), s = sqlite3_value_int64(values[1]);
    int rc = 0;
    if (t < 0 || s < 0 || (size_t)t >= sql->traces || (size_t)s >= sql->shapes)
        return;
    const struct td_query_rows *rows = td_sql_rows(sql, &sql->trace[t], (size_t)s, &rc);
    if (rows)
        sqlite3_result_int64(to, (sqlite3_int64)rows->count);
    else
        sqlite3_result_error_code(to, td_sql_code(rc));
}

int td_sql_register_count(struct td_sql *sql)
{
    return sqlite3_create_function_v2(sql->db, "rows_of_table", 2, SQLITE_UTF8, sql, count_rows, NULL, NULL,
                                      NULL);
}
