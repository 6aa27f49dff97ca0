/* SQL over traces, by SQLite: each table of tables.h, and each of the model as model_NAME, is a table of SQL that is read
 * from the trace, row by row, without a copy of it.
 *
 *   struct td_sql *sql = td_sql_open(0, &err);
 *   td_sql_add(sql, NULL, trace, &err);
 *   td_sql_run(sql, &(struct td_sql_question){.text = "SELECT count(*) FROM zones"}, &sink, &answer, &err);
 *   td_sql_close(sql);
 *
 * Columns have the keys of the tables' descriptions. A column of tracks is two: KEY, the name, and KEY_id, the number in
 * `tracks`. Numbers of 2^63 and more are negative, as SQLite has no others. Conditions on what a table is sorted by
 * (td_query_table.rises), and on most columns of `zones`, are searched for and not read one by one.
 *
 * A question can only read: no statement that writes, no file, no other database, no extension (authorizer.h). Texts of
 * questions are untrusted. One thread at a time; td_sql_stop() may be called from any, and from a signal handler. */
#pragma once
#include "host/base/err.h"
#include "host/base/progress.h"
#include "host/query/table/query_table.h"
#include "host/query/table/track_name.h"

struct td_sql;

#define TD_SQL_HEAP_BYTES (UINT64_C(1) << 30)

/* `heap_bytes`: what SQLite may take to sort and to group, in all of the process; 0: TD_SQL_HEAP_BYTES. NULL: see err. */
struct td_sql *td_sql_open(uint64_t heap_bytes, struct td_err *err);
void td_sql_close(struct td_sql *sql); /* NULL is allowed */
/* Adds the tables of a trace, which must outlive *sql. `schema` is before their names, "a" in a.zones; NULL: they are in
 * main, and need none. Names without a schema are of the trace that was added first. 0, or TD_E_USAGE: the schema is not a
 * name or not a new one, TD_E_LIMIT: there are ten already. */
int td_sql_add(struct td_sql *sql, const char *schema, const struct td_trace *trace, struct td_err *err);
/* The next question is about what traces that grow have then: tables are otherwise read once. */
void td_sql_forget(struct td_sql *sql);

struct td_sql_parameter {
    const char *name;  /* without the sign before it: n for :n, @n and $n */
    const char *value; /* a number becomes one; NULL: NULL */
};

struct td_sql_question { /* all zero but for `text`: no limits */
    const char *text;    /* one statement or several */
    const struct td_sql_parameter *parameters;
    size_t parameter_count;
    double seconds; /* 0: no limit */
    uint64_t rows;  /* of each statement; 0: no limit */
    const struct td_progress
        *progress; /* rows that were read so far, of how many if that is known; NULL: none */
};

/* What gets the rows of each statement that has columns. A value is none, an integer, a real number or a text, valid
 * until the function returns; blobs are texts. Each returns 0, or a negative enum td_e that ends the question. */
struct td_sql_sink {
    int (*begin)(void *self, const char *const *names, size_t count, struct td_err *err);
    int (*row)(void *self, const struct td_query_value *values, size_t count, struct td_err *err);
    int (*end)(void *self, struct td_err *err);
    void *self;
};

struct td_sql_answer {
    uint64_t rows; /* of all statements */
    bool more;     /* there were more than question.rows */
};

/* 0, or TD_E_USAGE: the text is wrong, with its place, or it does more than read; TD_E_TIMEOUT, TD_E_STOPPED, TD_E_NOMEM,
 * TD_E_LIMIT: SQLite needs more memory than it may take. */
int td_sql_run(struct td_sql *sql, const struct td_sql_question *question, const struct td_sql_sink *sink,
               struct td_sql_answer *answer, struct td_err *err);
/* Whether the text ends with a whole statement: a semicolon that is not in a text or a comment. */
bool td_sql_is_complete(const char *text);
/* Ends the question that runs: TD_E_STOPPED. */
void td_sql_stop(struct td_sql *sql);

/* The tables of SQL. */
struct td_sql_column {
    const char *name, *type; /* "INTEGER", "REAL", "TEXT" */
    const struct td_query_column *column;
    bool is_track_id;
};
/* A cell: none, an integer, a real number that is not NaN, or a text. */
static inline struct td_query_value td_sql_value(const struct td_query_rows *rows, uint64_t row,
                                                 const struct td_sql_column *column, char room[TD_QUERY_ROOM])
{
    const struct td_query_column *described = column->column;
    struct td_query_value value = described->get(rows, row, described, room);
    if (described->type == TD_AS_TRACK && value.kind == TD_IS_UINT) {
        const uint32_t track = (uint32_t)value.u;
        if (track == TD_NO_TRACK)
            value.kind = TD_IS_NONE;
        else if (!column->is_track_id)
            value = td_is_text(td_track_long_name(rows->of.trace, track, room));
    }
    if (value.kind == TD_IS_UINT || value.kind == TD_IS_BOOL)
        value.kind = TD_IS_INT;
    else if (value.kind == TD_IS_LEFT_OUT || (value.kind == TD_IS_REAL && value.real != value.real))
        value.kind = TD_IS_NONE;
    return value;
}

size_t td_sql_tables(const struct td_sql *sql);
/* The name without a schema, and the columns. */
const char *td_sql_table(const struct td_sql *sql, size_t table, const struct td_sql_column **columns,
                         size_t *count, const struct td_query_table **described);
