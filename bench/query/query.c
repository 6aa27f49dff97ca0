/* Questions in SQL over the zones of a made trace, beside SQLite over a plain table of the same rows in memory: processor
 * time, and the memory that the longest one takes beside the model. Both answers are compared.
 * Options: --zones N (default 50,000,000), --quick (300,000), --json, --no-limits. */
#include "bench/file/generate.h"
#include "bench/report.h"
#include "host/query/sql/sql.h"
#include "host/query/sums/zone_ref.h"

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#define RANGE_LIMIT_MS 20
#define LIMIT_MB       50

/* ---- answers ---- */

struct answer {
    char text[4000];
    size_t bytes;
};

static int take_names(void *self, const char *const *names, size_t count, struct td_err *err)
{
    return 0;
}

static void add_text(struct answer *a, const char *text)
{
    const int more = snprintf(a->text + a->bytes, sizeof a->text - a->bytes, "%s|", text);
    a->bytes = a->bytes + (size_t)more < sizeof a->text ? a->bytes + (size_t)more : sizeof a->text - 1;
}

static int take_row(void *self, const struct td_query_value *values, size_t count, struct td_err *err)
{
    char number[32];
    for (size_t c = 0; c < count; c++) {
        snprintf(number, sizeof number, "%" PRId64, values[c].i);
        add_text(self, values[c].kind == TD_IS_TEXT  ? values[c].text
                       : values[c].kind == TD_IS_INT ? number
                                                     : "");
    }
    return 0;
}

static int end_rows(void *self, struct td_err *err)
{
    return 0;
}

/* Milliseconds of this thread's processor; below 0: it failed. */
static double ask_trace(struct report *r, struct td_sql *sql, const char *question, struct answer *answer)
{
    const struct td_sql_sink sink = {take_names, take_row, end_rows, answer};
    struct td_err err = {0};
    *answer = (struct answer){.bytes = 0};
    const double begin = cpu_seconds();
    if (td_sql_run(sql, &(struct td_sql_question){.text = question}, &sink, NULL, &err) < 0)
        return report_failure(r, question, err.text);
    return (cpu_seconds() - begin) * 1e3;
}

static double ask_table(struct report *r, sqlite3 *db, const char *question, struct answer *answer)
{
    sqlite3_stmt *statement = NULL;
    *answer = (struct answer){.bytes = 0};
    const double begin = cpu_seconds();
    if (sqlite3_prepare_v2(db, question, -1, &statement, NULL) != SQLITE_OK)
        return report_failure(r, question, sqlite3_errmsg(db));
    while (sqlite3_step(statement) == SQLITE_ROW)
        for (int c = 0; c < sqlite3_column_count(statement); c++) {
            const char *text = (const char *)sqlite3_column_text(statement, c);
            add_text(answer, text ? text : "");
        }
    sqlite3_finalize(statement);
    return (cpu_seconds() - begin) * 1e3;
}

/* ---- the plain table ---- */

static int fill_table(sqlite3 *db, const struct td_trace *trace)
{
    sqlite3_stmt *insert = NULL;
    sqlite3_exec(db,
                 "CREATE TABLE zones(track_id INTEGER, name TEXT, start_ns INTEGER, duration_ns INTEGER, "
                 "depth INTEGER); BEGIN",
                 NULL, NULL, NULL);
    int rc = sqlite3_prepare_v2(db, "INSERT INTO zones VALUES (?, ?, ?, ?, ?)", -1, &insert, NULL);
    for (uint32_t t = 0; rc == SQLITE_OK && t < td_dict_track_count(td_trace_dict(trace)); t++)
        for (uint32_t row = 0; rc == SQLITE_OK && row < td_trace_rows(trace, t); row++)
            for (size_t i = 0; rc == SQLITE_OK && i < td_trace_row_zones(trace, t, row); i++) {
                const struct td_zone zone = td_trace_zone(trace, t, row, i);
                sqlite3_bind_int64(insert, 1, t);
                sqlite3_bind_text(insert, 2, td_zone_label(td_trace_dict(trace), &zone), -1, SQLITE_STATIC);
                sqlite3_bind_int64(insert, 3, zone.start_ns);
                if (zone.end_ns == TD_OPEN)
                    sqlite3_bind_null(insert, 4);
                else
                    sqlite3_bind_int64(insert, 4, zone.end_ns - zone.start_ns);
                sqlite3_bind_int64(insert, 5, row);
                rc = sqlite3_step(insert) == SQLITE_DONE ? sqlite3_reset(insert) : SQLITE_ERROR;
            }
    sqlite3_finalize(insert);
    return rc == SQLITE_OK ? sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) : rc;
}

/* ---- figures ---- */

struct measured {
    struct report *r;
    struct td_sql *sql;
    sqlite3 *db;
};

/* `limit`: 0: what SQLite needs over its own table; NAN: none. */
static void measure(const struct measured *m, const char *name, const char *question, double limit)
{
    struct answer ours, theirs;
    const double ours_ms = ask_trace(m->r, m->sql, question, &ours);
    const double theirs_ms = ask_table(m->r, m->db, question, &theirs);
    if (ours_ms >= 0 && theirs_ms >= 0 && strcmp(ours.text, theirs.text) != 0)
        report_failure(m->r, question, "the answers differ");
    report_most(m->r, name, "ms", ours_ms, theirs_ms, limit == 0 ? theirs_ms : limit);
}

static void measure_all(const struct measured *m, const struct td_trace *trace)
{
    const int64_t middle = td_trace_get_info(trace)->last_time_ns / 2;
    const int64_t length = td_trace_get_info(trace)->last_time_ns / 2000;
    char question[400];
    measure(m, "query_count_50m_ms", "SELECT count(*) FROM zones", 0);
    snprintf(question, sizeof question,
             "SELECT count(*), sum(duration_ns), max(name) FROM zones WHERE start_ns BETWEEN %" PRId64
             " AND %" PRId64,
             middle, middle + length);
    measure(m, "query_range_ms", question, RANGE_LIMIT_MS);
    snprintf(question, sizeof question,
             "SELECT count(*), sum(duration_ns) FROM zones WHERE track_id = 1 AND start_ns > %" PRId64
             " AND start_ns < %" PRId64,
             middle, middle + length);
    measure(m, "query_track_ms", question, RANGE_LIMIT_MS);
    snprintf(question, sizeof question,
             "SELECT name, start_ns FROM zones WHERE start_ns > %" PRId64 " ORDER BY start_ns LIMIT 20",
             middle);
    measure(m, "query_order_ms", question, RANGE_LIMIT_MS);
    measure(m, "query_slowest_ms", "SELECT duration_ns FROM zones ORDER BY duration_ns DESC LIMIT 20", 0);
    measure(m, "query_name_ms",
            "SELECT count(*), max(duration_ns) FROM zones WHERE name = (SELECT name FROM zones LIMIT 1)", 0);
    forget_memory_peak();
    const double before_mb = memory_mb("VmRSS");
    struct answer ours, theirs;
    static const char group[] = "SELECT name, count(*), sum(duration_ns) FROM zones GROUP BY name";
    const double ours_ms = ask_trace(m->r, m->sql, group, &ours);
    const double peak_mb = memory_mb("VmHWM") - before_mb;
    const double theirs_ms = ask_table(m->r, m->db, group, &theirs);
    if (strcmp(ours.text, theirs.text) != 0)
        report_failure(m->r, group, "the answers differ");
    report_most(m->r, "query_group_50m_ms", "ms", ours_ms, theirs_ms, theirs_ms);
    report_most(m->r, "query_group_mb", "MB", peak_mb, NAN, LIMIT_MB);
}

static int run(struct report *r, uint64_t zones)
{
    struct td_trace *trace = generate(zones);
    struct td_err err = {0};
    struct measured m = {.r = r, .sql = trace ? td_sql_open(0, &err) : NULL};
    if (!trace || !m.sql || td_sql_add(m.sql, NULL, trace, &err) < 0)
        report_failure(r, "trace", trace ? err.text : "out of memory");
    sqlite3_hard_heap_limit64(0); /* for the plain table, which is in memory */
    if (!r->failed && (sqlite3_open(":memory:", &m.db) != SQLITE_OK || fill_table(m.db, trace) != SQLITE_OK))
        report_failure(r, "plain table", "cannot be filled");
    report_head(r);
    report_note(r,
                "%" PRIu64 " zones; limits are for 50 million; the other column is SQLite over its own table",
                zones);
    if (!r->failed)
        measure_all(&m, trace);
    sqlite3_close(m.db);
    td_sql_close(m.sql);
    td_trace_destroy(trace);
    return r->failed;
}

int main(int argc, char **argv)
{
    struct report r = {.program = "bench/query"};
    uint64_t zones = 50000000;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json"))
            r.json = 1;
        else if (!strcmp(argv[i], "--quick"))
            zones = 300000;
        else if (!strcmp(argv[i], "--no-limits"))
            r.lenient = 1;
        else if (!strcmp(argv[i], "--zones") && i + 1 < argc)
            zones = strtoull(argv[++i], NULL, 10);
        else
            return report_failure(&r, argv[i], "no such option"), 1;
    }
    return run(&r, zones);
}
