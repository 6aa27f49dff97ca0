/* Functions of SQL:
 *   percentile(x, p)     of numbers: the least x that the part p of them, 0 to 1, does not exceed
 *   histogram(x)         of numbers: a JSON array of {"from", "to", "count"}, by powers of two
 *   duration(text)       ns: duration('20ms')
 *   overlap(a0, a1, b0, b1)  how long two ranges of time have in common, at least 0
 *   stack_text(id)       the functions of a call stack, innermost first; stack_text(id, schema) of another trace
 * NULL counts as nothing. */
#include "host/base/percentile.h"
#include "host/base/time_text.h"
#include "host/query/code/stack_text.h"
#include "host/query/sql/sql_internal.h"
#include "host/trace/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STACK_FRAMES 200

/* ---- percentile ---- */

struct numbers {
    double *at; /* SQLite's memory, so that its limit holds */
    uint64_t count, room;
    double fraction;
    bool has_reals;
};

static int compare_reals(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void step_percentile(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct numbers *n = sqlite3_aggregate_context(context, sizeof *n);
    const double fraction = sqlite3_value_double(values[1]);
    if (!n) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (sqlite3_value_type(values[1]) == SQLITE_NULL || !(fraction >= 0 && fraction <= 1)) {
        sqlite3_result_error(context, "percentile(x, p): p is from 0 to 1", -1);
        return;
    }
    n->fraction = fraction;
    const int type = sqlite3_value_numeric_type(values[0]);
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
        return;
    if (n->count == n->room) {
        double *more = sqlite3_realloc64(n->at, (n->room * 2 + 64) * sizeof *n->at);
        if (!more) {
            sqlite3_result_error_nomem(context);
            return;
        }
        n->at = more;
        n->room = n->room * 2 + 64;
    }
    n->has_reals |= type == SQLITE_FLOAT;
    n->at[n->count++] = sqlite3_value_double(values[0]);
}

static void end_percentile(sqlite3_context *context)
{
    struct numbers *n = sqlite3_aggregate_context(context, 0);
    if (!n || !n->count) {
        sqlite3_result_null(context);
    } else {
        qsort(n->at, n->count, sizeof *n->at, compare_reals);
        const double value = n->at[td_percentile_rank(n->count, n->fraction)];
        if (n->has_reals || fabs(value) >= 9007199254740992.0)
            sqlite3_result_double(context, value);
        else
            sqlite3_result_int64(context, (sqlite3_int64)value);
    }
    if (n)
        sqlite3_free(n->at);
}

/* ---- histogram ---- */

struct bins {
    uint64_t below, bin[65]; /* below 0; 0; from 1 to before 2; from 2 to before 4 ... */
};

static void step_histogram(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct bins *b = sqlite3_aggregate_context(context, sizeof *b);
    const int type = sqlite3_value_numeric_type(values[0]);
    if (!b) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
        return;
    const double value = sqlite3_value_double(values[0]);
    if (value < 0)
        b->below++;
    else if (value < 1)
        b->bin[0]++;
    else
        b->bin[value >= 9223372036854775808.0 ? 64 : 64 - __builtin_clzll((unsigned long long)value)]++;
}

static void end_histogram(sqlite3_context *context)
{
    const struct bins *b = sqlite3_aggregate_context(context, 0);
    sqlite3_str *text = sqlite3_str_new(NULL);
    const char *comma = "";
    sqlite3_str_appendall(text, "[");
    if (b && b->below) {
        sqlite3_str_appendf(text, "{\"from\":null,\"to\":0,\"count\":%lld}", (long long)b->below);
        comma = ",";
    }
    for (int i = 0; b && i < 65; i++) {
        if (!b->bin[i])
            continue;
        sqlite3_str_appendf(text, "%s{\"from\":%llu,\"to\":", comma, i ? 1ULL << (i - 1) : 0ULL);
        if (i < 64)
            sqlite3_str_appendf(text, "%llu", 1ULL << i);
        else
            sqlite3_str_appendall(text, "null");
        sqlite3_str_appendf(text, ",\"count\":%lld}", (long long)b->bin[i]);
        comma = ",";
    }
    sqlite3_str_appendall(text, "]");
    char *all = sqlite3_str_finish(text);
    if (all)
        sqlite3_result_text(context, all, -1, sqlite3_free);
    else
        sqlite3_result_error_nomem(context);
}

/* ---- of single values ---- */

static void make_duration(sqlite3_context *context, int count, sqlite3_value **values)
{
    double ns;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL)
        return;
    const char *text = (const char *)sqlite3_value_text(values[0]);
    if (text && td_time_parse(text, (size_t)sqlite3_value_bytes(values[0]), &ns) == 0)
        sqlite3_result_int64(context, (sqlite3_int64)llround(ns));
    else
        sqlite3_result_error(context, "duration(text): a number with a unit (" TD_TIME_UNITS "), as in 20ms",
                             -1);
}

static void make_overlap(sqlite3_context *context, int count, sqlite3_value **values)
{
    sqlite3_int64 at[4], common;
    for (int i = 0; i < 4; i++) {
        if (sqlite3_value_type(values[i]) == SQLITE_NULL)
            return;
        at[i] = sqlite3_value_int64(values[i]);
    }
    const sqlite3_int64 from = at[0] > at[2] ? at[0] : at[2], to = at[1] < at[3] ? at[1] : at[3];
    if (to <= from || __builtin_sub_overflow(to, from, &common))
        common = 0;
    sqlite3_result_int64(context, common);
}

static const struct td_trace *trace_named(const struct td_sql *sql, const char *schema)
{
    for (size_t t = 0; t < sql->traces; t++)
        if (!schema || !sqlite3_stricmp(schema, sql->trace[t].schema))
            return sql->trace[t].trace;
    return NULL;
}

static void make_stack_text(sqlite3_context *context, int count, sqlite3_value **values)
{
    const struct td_sql *sql = sqlite3_user_data(context);
    char room[TD_QUERY_ROOM];
    if (sqlite3_value_type(values[0]) == SQLITE_NULL)
        return;
    const sqlite3_int64 stack = sqlite3_value_int64(values[0]);
    const struct td_trace *trace =
        trace_named(sql, count > 1 ? (const char *)sqlite3_value_text(values[1]) : NULL);
    if (!trace)
        sqlite3_result_error(context, "stack_text(id, schema): no trace has this name", -1);
    else if (stack > 0 && (uint64_t)stack < td_series_count(td_trace_table(trace, TD_TABLE_STACK)))
        sqlite3_result_text(context,
                            td_stack_text(trace, (uint32_t)stack, ";", STACK_FRAMES, room, sizeof room), -1,
                            SQLITE_TRANSIENT);
}

int td_sql_register_functions(struct td_sql *sql)
{
    static const struct {
        const char *name;
        int count;
        void (*make)(sqlite3_context *, int, sqlite3_value **);
        void (*step)(sqlite3_context *, int, sqlite3_value **);
        void (*end)(sqlite3_context *);
    } functions[] = {{"percentile", 2, NULL, step_percentile, end_percentile},
                     {"histogram", 1, NULL, step_histogram, end_histogram},
                     {"duration", 1, make_duration, NULL, NULL},
                     {"overlap", 4, make_overlap, NULL, NULL},
                     {"stack_text", 1, make_stack_text, NULL, NULL},
                     {"stack_text", 2, make_stack_text, NULL, NULL}};
    int rc = SQLITE_OK;
    for (size_t i = 0; rc == SQLITE_OK && i < sizeof functions / sizeof *functions; i++)
        rc = sqlite3_create_function_v2(sql->db, functions[i].name, functions[i].count,
                                        SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, sql,
                                        functions[i].make, functions[i].step, functions[i].end, NULL);
    return rc;
}
