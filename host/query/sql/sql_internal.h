/* What the files of this room share. */
#pragma once
#include "host/query/sql/sql.h"

#include <sqlite3.h>

#define TD_SQL_COLUMNS 40
#define TD_SQL_RISES   4 /* columns by which a table is sorted, at most */

/* A table, as it is in each trace. */
struct td_sql_shape {
    char name[64];
    const struct td_query_table *table;
    struct td_sql_column column[TD_SQL_COLUMNS];
    char id_name[TD_SQL_COLUMNS][40]; /* names of columns with numbers of tracks; names in small letters */
    size_t columns;
    int rises[TD_SQL_RISES]; /* columns */
    size_t rise_count;
};

struct td_sql_trace {
    char schema[64];
    const struct td_trace *trace;
    struct td_query_rows **rows; /* by shape; NULL: not made yet */
};

struct td_sql {
    sqlite3 *db;
    struct td_sql_shape *shape;
    size_t shapes;
    struct td_sql_trace trace[11];
    size_t traces;
    bool is_sealed; /* only reading is allowed */
    unsigned depth; /* of statements in statements (overlaps.c) */
    struct td_job job;
    /* Of the question that runs. */
    const struct td_sql_question *question;
    uint64_t read; /* rows */
    /* The outermost loop of the statement: its cursor, and how far it is. NULL: none is read. */
    const void *outer;
    uint64_t outer_done, outer_rows;
    bool is_late;
};

/* The rows of a table, made when they are first read. NULL: *rc. */
struct td_query_rows *td_sql_rows(struct td_sql *sql, struct td_sql_trace *trace, size_t shape, int *rc);
/* SQLite's result code for an enum td_e. */
int td_sql_code(int rc);

struct td_sql_table_of { /* a virtual table */
    sqlite3_vtab base;
    struct td_sql *sql;
    struct td_sql_trace *trace;
    size_t shape;
};
static inline const struct td_sql_shape *td_sql_shape_of(const struct td_sql_table_of *table)
{
    return &table->sql->shape[table->shape];
}
int td_sql_register_tables(struct td_sql *sql);    /* SQLite's code */
int td_sql_register_functions(struct td_sql *sql); /* the same */
int td_sql_register_overlaps(struct td_sql *sql);  /* the same */
int td_sql_register_count(struct td_sql *sql);     /* the same */
/* The statement in place of one that is only SELECT count(*) FROM a table, to be freed with sqlite3_free(); *next is then
 * after it. NULL: it is another one. */
char *td_sql_as_count(const struct td_sql *sql, const char *text, const char **next);
void td_sql_allow_reading(struct td_sql *sql); /* authorizer.c */
/* Declares the columns of a virtual table, which counts as a statement that writes. SQLite's code. */
int td_sql_declare(struct td_sql *sql, const char *declaration);

/* ---- conditions (bounds.c) ---- */

/* The whole numbers from `from` to `to` pass a condition; none if from > to. What a condition says of other values than
 * numbers is left to SQLite: all numbers pass. */
struct td_sql_bounds {
    int64_t from, to;
};
static inline struct td_sql_bounds td_sql_no_bounds(void)
{
    return (struct td_sql_bounds){INT64_MIN, INT64_MAX};
}
/* `op`: a character of td_sql_op(). */
void td_sql_bound(struct td_sql_bounds *bounds, char op, sqlite3_value *value);
/* '=', '>', ']' (>=), '<', '[' (<=); 0: another condition. */
char td_sql_op(unsigned char op);
/* The value that a condition compares with, if it is a number that is known before the statement runs. */
bool td_sql_constant(sqlite3_index_info *info, int constraint, double *value);
/* A plan: for each argument of xFilter(), the column and the condition. */
#define TD_SQL_PLAN_BYTES 100
struct td_sql_plan {
    char text[TD_SQL_PLAN_BYTES];
    int arguments;
};
void td_sql_plan_add(struct td_sql_plan *plan, sqlite3_index_info *info, int constraint, int column, char op);
/* Passes the plan to SQLite. */
int td_sql_plan_take(const struct td_sql_plan *plan, sqlite3_index_info *info);

/* ---- the table `zones` (zones_plan.c) ---- */

struct td_zone_scan;
int td_sql_plan_zones(struct td_sql_table_of *table, sqlite3_index_info *info);
/* NULL: *rc. */
struct td_zone_scan *td_sql_scan_zones(struct td_sql_table_of *table, const struct td_query_rows *rows,
                                       int number, const char *plan, int count, sqlite3_value **values,
                                       int *rc);
