/* Runs a question: its statements one after the other, each row as it comes. */
#include "host/base/clock.h"
#include "host/query/sql/sql_internal.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 20000 /* of SQLite's machine, from one look at the progress to the next */

/* ---- limits ---- */

/* A thread that ends the question when its time is over, also in the middle of an analysis. */
struct clock_watch {
    struct td_sql *sql;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool is_over, runs;
    struct timespec until;
};

static void *watch_clock(void *self)
{
    struct clock_watch *w = self;
    pthread_mutex_lock(&w->lock);
    while (!w->is_over && pthread_cond_timedwait(&w->ended, &w->lock, &w->until) != ETIMEDOUT)
        ;
    if (!w->is_over) {
        __atomic_store_n(&w->sql->is_late, true, __ATOMIC_RELAXED);
        td_sql_stop(w->sql);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void begin_watch(struct clock_watch *w, struct td_sql *sql, double seconds)
{
    pthread_condattr_t attributes;
    *w = (struct clock_watch){.sql = sql};
    if (seconds <= 0)
        return;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&w->ended, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&w->lock, NULL);
    clock_gettime(CLOCK_MONOTONIC, &w->until);
    const double end = (double)w->until.tv_nsec + seconds * 1e9;
    w->until.tv_sec += (time_t)(end / 1e9);
    w->until.tv_nsec = (long)fmod(end, 1e9);
    w->runs = pthread_create(&w->thread, NULL, watch_clock, w) == 0;
}

static void end_watch(struct clock_watch *w)
{
    if (!w->runs)
        return;
    pthread_mutex_lock(&w->lock);
    w->is_over = true;
    pthread_cond_signal(&w->ended);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->ended);
}

static int look_at_progress(void *self)
{
    struct td_sql *sql = self;
    const struct td_progress *progress = sql->question->progress;
    if (!progress || !progress->step)
        return 0;
    return progress->step(progress->self, sql->outer ? sql->outer_done : sql->read,
                          sql->outer ? sql->outer_rows : 0) != 0;
}

/* ---- errors ---- */

/* What is wrong, and where: the statement from there on. */
static int fail_statement(struct td_sql *sql, int code, const char *text, struct td_err *err)
{
    const char *why = sqlite3_errmsg(sql->db);
    const int at = sqlite3_error_offset(sql->db);
    if (err && err->code) /* the sink's */
        return err->code;
    if (__atomic_load_n(&sql->is_late, __ATOMIC_RELAXED))
        return td_fail(err, TD_E_TIMEOUT, "the question took longer than %g s", sql->question->seconds);
    if (code == SQLITE_INTERRUPT)
        return td_fail(err, TD_E_STOPPED, "stopped");
    if (code == SQLITE_NOMEM)
        return td_fail(
            err, TD_E_LIMIT,
            "the question needs more memory than %.0f MB to sort or to group: narrow it, or allow more",
            (double)sqlite3_hard_heap_limit64(-1) / 1048576);
    if (code == SQLITE_AUTH)
        return td_fail(err, TD_E_USAGE, "a question can only read the trace (%s)", why);
    if (at < 0 || (size_t)at >= strlen(text))
        return td_fail(err, TD_E_USAGE, "%s", why);
    return td_fail(err, TD_E_USAGE, "%s, at '%.40s'", why, text + at);
}

/* ---- parameters ---- */

static int bind_value(sqlite3_stmt *statement, int at, const char *value)
{
    char *end;
    if (!value)
        return sqlite3_bind_null(statement, at);
    errno = 0;
    const long long whole = strtoll(value, &end, 10);
    if (*value && !*end && !errno)
        return sqlite3_bind_int64(statement, at, whole);
    const double real = strtod(value, &end);
    if (*value && !*end && isfinite(real))
        return sqlite3_bind_double(statement, at, real);
    return sqlite3_bind_text(statement, at, value, -1, SQLITE_STATIC);
}

static int bind_parameters(struct td_sql *sql, sqlite3_stmt *statement, bool *is_used, struct td_err *err)
{
    const struct td_sql_question *q = sql->question;
    for (int at = 1; at <= sqlite3_bind_parameter_count(statement); at++) {
        const char *name = sqlite3_bind_parameter_name(statement, at);
        size_t p = 0;
        while (p < q->parameter_count && (!name || strcmp(name + 1, q->parameters[p].name) != 0))
            p++;
        if (p == q->parameter_count)
            return td_fail(err, TD_E_USAGE, "the question needs a value for %.60s", name ? name : "?");
        is_used[p] = true;
        if (bind_value(statement, at, q->parameters[p].value) != SQLITE_OK)
            return td_fail_no_memory(err, NULL);
    }
    return 0;
}

static int check_parameters(const struct td_sql_question *q, const bool *is_used, struct td_err *err)
{
    for (size_t p = 0; p < q->parameter_count; p++)
        if (!is_used[p])
            return td_fail(err, TD_E_USAGE, "the question has no parameter :%.60s", q->parameters[p].name);
    return 0;
}

/* ---- rows ---- */

static struct td_query_value value_of(sqlite3_stmt *statement, int column)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        return td_is_int(sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT:
        return td_is_real(sqlite3_column_double(statement, column));
    case SQLITE_NULL:
        return td_is_said(NULL);
    default: {
        const char *text = (const char *)sqlite3_column_text(statement, column);
        return (struct td_query_value){.kind = TD_IS_TEXT,
                                       .text = text ? text : "",
                                       .bytes = (size_t)sqlite3_column_bytes(statement, column)};
    }
    }
}

struct question_run {
    struct td_sql *sql;
    const struct td_sql_sink *sink;
    struct td_sql_answer *answer;
    const char **names;
    struct td_query_value *values;
    size_t room;
};

static int begin_rows(struct question_run *run, sqlite3_stmt *statement, size_t columns, struct td_err *err)
{
    if (columns > run->room) {
        free(run->names);
        free(run->values);
        run->names = calloc(columns, sizeof *run->names);
        run->values = calloc(columns, sizeof *run->values);
        run->room = run->names && run->values ? columns : 0;
        if (!run->room)
            return td_fail_no_memory(err, NULL);
    }
    for (size_t c = 0; c < columns; c++) {
        const char *name = sqlite3_column_name(statement, (int)c);
        run->names[c] = name ? name : "";
    }
    return run->sink->begin(run->sink->self, run->names, columns, err);
}

static int pass_rows(struct question_run *run, sqlite3_stmt *statement, const char *text, struct td_err *err)
{
    const size_t columns = (size_t)sqlite3_column_count(statement);
    const uint64_t most = run->sql->question->rows;
    uint64_t rows = 0;
    int code, rc = columns ? begin_rows(run, statement, columns, err) : 0;
    while (rc == 0 && (code = sqlite3_step(statement)) != SQLITE_DONE) {
        if (code != SQLITE_ROW)
            return fail_statement(run->sql, code & 0xff, text, err);
        if (most && rows == most) {
            run->answer->more = true;
            break;
        }
        rows++;
        run->answer->rows++;
        for (size_t c = 0; c < columns; c++)
            run->values[c] = value_of(statement, (int)c);
        rc = run->sink->row(run->sink->self, run->values, columns, err);
    }
    return rc == 0 && columns ? run->sink->end(run->sink->self, err) : rc;
}

static int run_statements(struct question_run *run, bool *is_used, struct td_err *err)
{
    struct td_sql *sql = run->sql;
    const char *text = sql->question->text;
    int rc = 0;
    while (rc == 0 && *text) {
        sqlite3_stmt *statement = NULL;
        const char *next = text;
        char *count = td_sql_as_count(sql, text, &next);
        const int code =
            sqlite3_prepare_v2(sql->db, count ? count : text, -1, &statement, count ? NULL : &next);
        sqlite3_free(count);
        if (code != SQLITE_OK)
            return fail_statement(sql, code & 0xff, text, err);
        if (statement) {
            rc = bind_parameters(sql, statement, is_used, err);
            rc = rc ? rc : pass_rows(run, statement, text, err);
        }
        sqlite3_finalize(statement);
        text = next;
    }
    return rc ? rc : check_parameters(sql->question, is_used, err);
}

bool td_sql_is_complete(const char *text)
{
    return sqlite3_complete(text) != 0;
}

int td_sql_run(struct td_sql *sql, const struct td_sql_question *question, const struct td_sql_sink *sink,
               struct td_sql_answer *answer, struct td_err *err)
{
    struct td_err own = {0};
    struct td_sql_answer ignored = {0};
    struct question_run run = {.sql = sql, .sink = sink, .answer = answer ? answer : &ignored};
    struct clock_watch watch;
    bool *is_used = calloc(question->parameter_count + 1, sizeof *is_used);
    if (!is_used)
        return td_fail_no_memory(err, NULL);
    *run.answer = (struct td_sql_answer){0};
    sql->question = question;
    sql->read = 0;
    sql->outer = NULL;
    sql->is_late = false;
    __atomic_store_n(&sql->job.cancelled, 0, __ATOMIC_RELAXED);
    sqlite3_progress_handler(sql->db, STEPS, look_at_progress, sql);
    begin_watch(&watch, sql, question->seconds);
    const int rc = run_statements(&run, is_used, err ? err : &own);
    end_watch(&watch);
    sqlite3_progress_handler(sql->db, 0, NULL, NULL);
    sql->question = NULL;
    free(run.names);
    free(run.values);
    free(is_used);
    return rc;
}
