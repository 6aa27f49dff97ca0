/* SQL over random traces: what the model answers by its order equals what SQLite finds by reading every row (a plus sign
 * before a column hides it from the plan), and nothing but reading is possible. */
#include "host/query/rows/zones.h"
#include "host/query/sql/sql.h"
#include "tests/query/demo_trace.h"
#include "tests/query/random_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define QUESTIONS 150 /* for each trace */

/* ---- answers as text ---- */

struct text {
    FILE *to;
    char *text;
    size_t bytes;
};

static int take_names(void *self, const char *const *names, size_t count, struct td_err *err)
{
    return 0;
}

static int take_row(void *self, const struct td_query_value *values, size_t count, struct td_err *err)
{
    const struct text *t = self;
    for (size_t c = 0; c < count; c++)
        if (values[c].kind == TD_IS_TEXT)
            fprintf(t->to, "%s|", values[c].text);
        else if (values[c].kind == TD_IS_REAL)
            fprintf(t->to, "%.17g|", values[c].real);
        else if (values[c].kind == TD_IS_INT)
            fprintf(t->to, "%lld|", (long long)values[c].i);
        else
            fputs("NULL|", t->to);
    putc('\n', t->to);
    return 0;
}

static int end_rows(void *self, struct td_err *err)
{
    return 0;
}

static char *answer_of(struct td_sql *sql, const char *question)
{
    struct text t = {0};
    struct td_err err = {0};
    t.to = open_memstream(&t.text, &t.bytes);
    assert_non_null(t.to);
    const struct td_sql_sink sink = {take_names, take_row, end_rows, &t};
    if (td_sql_run(sql, &(struct td_sql_question){.text = question}, &sink, NULL, &err) < 0)
        fprintf(t.to, "error: %s", err.text);
    fclose(t.to);
    return t.text;
}

/* Kept until the next one. */
static const char *answer_in(struct td_sql *sql, const char *question)
{
    static char *last;
    free(last);
    return last = answer_of(sql, question);
}

static int copy_name(void *self, const char *const *names, size_t count, struct td_err *err)
{
    snprintf(self, 40, "%s", names[0]);
    return 0;
}

static int skip_row(void *self, const struct td_query_value *values, size_t count, struct td_err *err)
{
    return 0;
}

static void assert_same(struct td_sql *sql, const char *fast, const char *slow)
{
    char *a = answer_of(sql, fast), *b = answer_of(sql, slow);
    if (strcmp(a, b) != 0)
        fail_msg("%s\ngives\n%.2000s\nbut %s\ngives\n%.2000s", fast, a, slow, b);
    if (!strncmp(a, "error", 5))
        fail_msg("%s: %s", fast, a);
    free(a);
    free(b);
}

static void assert_answer(struct td_sql *sql, const char *question, const char *expected)
{
    char *answer = answer_of(sql, question);
    if (strcmp(answer, expected) != 0)
        fail_msg("%s\ngives\n%s\nnot\n%s", question, answer, expected);
    free(answer);
}

static struct td_sql *open_sql(const struct td_trace *trace)
{
    struct td_sql *sql = td_sql_open(0, NULL);
    assert_non_null(sql);
    assert_int_equal(td_sql_add(sql, NULL, trace, NULL), 0);
    return sql;
}

/* ---- random questions ---- */

static void add_value(char *to, size_t room, const char *column)
{
    static const char *const names[] = {"name 1", "name 3", "own", "f", "none"};
    const size_t used = strlen(to);
    if (!draw(25))
        snprintf(to + used, room - used, "NULL");
    else if (!strcmp(column, "name"))
        snprintf(to + used, room - used, "'%s'", names[draw(5)]);
    else if (!strcmp(column, "file"))
        snprintf(to + used, room - used, "'file%u.c'", draw(4));
    else if (!strcmp(column, "track"))
        snprintf(to + used, room - used, "'%s'", draw(2) ? "core" : "thread");
    else if (!strcmp(column, "tile"))
        snprintf(to + used, room - used, "'%u,0'", draw(3));
    else if (!strcmp(column, "id") || !strcmp(column, "parent"))
        snprintf(to + used, room - used, "%u", draw(4000));
    else if (!strcmp(column, "duration_ns"))
        snprintf(to + used, room - used, "%u", draw(200));
    else if (strstr(column, "_ns"))
        snprintf(to + used, room - used, draw(9) ? "%u" : "%u.5", draw(9000));
    else
        snprintf(to + used, room - used, "%d", (int)draw(16) - 1);
}

/* A condition, with `sign` before its column. */
static void add_condition(char *to, size_t room, const char *column, const char *op, const char *sign,
                          uint32_t at)
{
    const size_t used = strlen(to);
    draw_from(at);
    snprintf(to + used, room - used, " AND %s%s %s ", sign, column, op);
    add_value(to, room, column);
}

static void random_question(struct td_sql *sql)
{
    static const char *const columns[] = {"id",   "start_ns", "end_ns", "duration_ns", "depth",
                                          "name", "parent",   "track",  "track_id",    "chip",
                                          "tile", "core",     "file",   "line",        "location"};
    static const char *const ops[] = {"=", "=", "<", "<=", ">", ">="};
    static const char *const orders[][2] = {
        {"id", "+id"},
        {"id DESC", "+id DESC"},
        {"start_ns, id", "+start_ns, +id"},
        {"start_ns DESC, id DESC", "+start_ns DESC, +id DESC"},
        {"name, id", "+name, +id"},
        {"track_id, depth, start_ns, id", "+track_id, +depth, +start_ns, +id"},
        {"duration_ns, id", "+duration_ns, +id"}};
    char fast[1500] = "SELECT id, name, depth, start_ns, self_ns, parent FROM zones WHERE 1", slow[1500];
    strcpy(slow, fast);
    for (uint32_t i = draw(4); i > 0; i--) {
        const char *column = columns[draw(sizeof columns / sizeof *columns)], *op = ops[draw(6)];
        const uint32_t at = draw(UINT32_MAX);
        add_condition(fast, sizeof fast, column, op, "", at);
        add_condition(slow, sizeof slow, column, op, "+", at);
    }
    const uint32_t order = draw(sizeof orders / sizeof *orders);
    snprintf(fast + strlen(fast), sizeof fast - strlen(fast), " ORDER BY %s", orders[order][0]);
    snprintf(slow + strlen(slow), sizeof slow - strlen(slow), " ORDER BY %s", orders[order][1]);
    assert_same(sql, fast, slow);
}

static void questions_about_zones_have_the_answers_of_a_full_read(void **state)
{
    for (uint32_t t = 1; t <= 4; t++) {
        draw_from(t * 7919);
        struct td_trace *trace = random_trace(true);
        struct td_sql *sql = open_sql(trace);
        for (uint32_t i = 0; i < QUESTIONS; i++) {
            draw_from(t * 100000 + i);
            random_question(sql);
        }
        assert_same(sql, "SELECT id FROM zones ORDER BY duration_ns DESC, id LIMIT 20",
                    "SELECT id FROM zones ORDER BY +duration_ns DESC, +id LIMIT 20");
        assert_same(sql, "SELECT id FROM zones ORDER BY duration_ns DESC, id LIMIT 5 OFFSET 7",
                    "SELECT id FROM zones ORDER BY +duration_ns DESC, +id LIMIT 5 OFFSET 7");
        assert_same(sql, "SELECT id FROM zones ORDER BY duration_ns DESC, id LIMIT 100000",
                    "SELECT id FROM zones ORDER BY +duration_ns DESC, +id LIMIT 100000");
        assert_same(sql,
                    "SELECT id, duration_ns FROM zones WHERE depth >= 1.5 AND start_ns < 2000 AND "
                    "duration_ns < 50 ORDER BY "
                    "duration_ns DESC, id LIMIT 9",
                    "SELECT id, duration_ns FROM zones WHERE +depth >= 1.5 AND +start_ns < 2000 AND "
                    "+duration_ns < 50 ORDER "
                    "BY +duration_ns DESC, +id LIMIT 9");
        assert_same(sql,
                    "SELECT id FROM zones WHERE name = 'name 3' AND text IS NULL ORDER BY duration_ns DESC, "
                    "id LIMIT 5",
                    "SELECT id FROM zones WHERE +name = 'name 3' AND +text IS NULL ORDER BY +duration_ns "
                    "DESC, +id LIMIT 5");
        assert_same(
            sql, "SELECT id FROM zones WHERE depth = 2 OR value = 3 ORDER BY duration_ns DESC, id LIMIT 5",
            "SELECT id FROM zones WHERE +depth = 2 OR +value = 3 ORDER BY +duration_ns DESC, +id LIMIT 5");
        assert_same(sql, "SELECT name, count(*), sum(duration_ns) FROM zones GROUP BY name",
                    "SELECT name, count(*), sum(duration_ns) FROM zones GROUP BY +name");
        assert_same(sql, "SELECT DISTINCT name FROM zones ORDER BY name",
                    "SELECT DISTINCT +name FROM zones ORDER BY 1");
        assert_same(
            sql,
            "SELECT a.id, b.id FROM zones a JOIN zones b ON b.parent = a.id WHERE a.depth = 1 ORDER BY 1, 2",
            "SELECT a.id, b.id FROM zones a JOIN zones b ON +b.parent = +a.id WHERE +a.depth = 1 ORDER BY 1, "
            "2");
        td_sql_close(sql);
        td_trace_destroy(trace);
    }
}

static void sorted_tables_have_the_answers_of_a_full_read(void **state)
{
    draw_from(5);
    struct td_trace *trace = random_trace(true);
    struct td_sql *sql = open_sql(trace);
    for (uint32_t i = 0; i < QUESTIONS; i++) {
        char fast[400], slow[400];
        const uint32_t plot = draw(4), from = draw(3000), to = from + draw(500);
        const char *end = draw(2) ? " DESC" : "";
        snprintf(fast, sizeof fast,
                 "SELECT plot_id, time_ns, value FROM plot_points WHERE plot_id = %u AND time_ns >= %u AND "
                 "time_ns < %u "
                 "ORDER BY time_ns%s, value",
                 plot, from, to, end);
        snprintf(slow, sizeof slow,
                 "SELECT plot_id, time_ns, value FROM plot_points WHERE +plot_id = %u AND +time_ns >= %u AND "
                 "+time_ns < %u ORDER BY +time_ns%s, value",
                 plot, from, to, end);
        assert_same(sql, fast, slow);
        snprintf(fast, sizeof fast, "SELECT count(*), min(time_ns) FROM messages WHERE time_ns > %u.5", from);
        snprintf(slow, sizeof slow, "SELECT count(*), min(time_ns) FROM messages WHERE +time_ns > %u.5",
                 from);
        assert_same(sql, fast, slow);
    }
    td_sql_close(sql);
    td_trace_destroy(trace);
}

static void every_table_can_be_read(void **state)
{
    struct td_trace *trace = demo_trace(2);
    struct td_sql *sql = open_sql(trace);
    for (size_t t = 0; t < td_sql_tables(sql); t++) {
        const struct td_sql_column *column;
        const struct td_query_table *table;
        size_t columns;
        char question[200];
        snprintf(question, sizeof question, "SELECT * FROM \"%s\"",
                 td_sql_table(sql, t, &column, &columns, &table));
        char *answer = answer_of(sql, question);
        if (!strncmp(answer, "error", 5))
            fail_msg("%s: %s", question, answer);
        free(answer);
    }
    td_sql_close(sql);
    td_trace_destroy(trace);
}

static void a_question_can_only_read(void **state)
{
    static const char *const refused[] = {
        "ATTACH ':memory:' AS x",
        "ATTACH '/tmp/x' AS x",
        "DETACH main",
        "CREATE TABLE t(a)",
        "CREATE TEMP TABLE t(a)",
        "CREATE VIEW v AS SELECT 1",
        "CREATE VIRTUAL TABLE t USING fts5(a)",
        "CREATE VIRTUAL TABLE t USING tendril",
        "CREATE INDEX i ON zones(id)",
        "DROP TABLE zones",
        "DELETE FROM zones",
        "INSERT INTO zones(id) VALUES (1)",
        "UPDATE zones SET id = 2",
        "DELETE FROM sqlite_schema",
        "PRAGMA writable_schema = 1",
        "PRAGMA temp_store_directory = '/tmp'",
        "PRAGMA hard_heap_limit = 0",
        "PRAGMA journal_mode = off",
        "SELECT load_extension('x')",
        "SELECT readfile('/etc/passwd')",
        "SELECT writefile('/tmp/x', 'y')",
        "SELECT fts3_tokenizer('simple')",
        "VACUUM INTO '/tmp/x'",
        "BEGIN",
        "SAVEPOINT s",
        "ANALYZE",
        "ALTER TABLE zones RENAME TO z",
        "SELECT * FROM overlaps('DROP TABLE zones', 'SELECT 1, 2, 3')",
    };
    struct td_trace *trace = demo_trace(1);
    struct td_sql *sql = open_sql(trace);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char *answer = answer_of(sql, refused[i]);
        if (strncmp(answer, "error", 5) != 0)
            fail_msg("%s is not refused: %s", refused[i], answer);
        free(answer);
    }
    assert_answer(sql, "SELECT count(*) > 0 FROM zones", "1|\n");
    assert_answer(sql, "SELECT value FROM json_each('[7]'), overlaps('VALUES (1, 2, 3)', 'VALUES (1, 2, 3)')",
                  "7|\n");
    assert_answer(sql, "SELECT count(*) FROM pragma_table_info('zones') WHERE name = 'id'", "1|\n");
    td_sql_close(sql);
    td_trace_destroy(trace);
}

static void functions_give_what_they_promise(void **state)
{
    struct td_trace *trace = demo_trace(1);
    struct td_sql *sql = open_sql(trace);
    assert_answer(sql, "SELECT duration('20ms'), duration('1.5us'), duration('7'), duration(NULL)",
                  "20000000|1500|7|NULL|\n");
    assert_answer(
        sql, "SELECT overlap(0, 10, 5, 20), overlap(0, 5, 5, 9), overlap(0, 5, 7, 9), overlap(0, NULL, 1, 2)",
        "5|0|0|NULL|\n");
    assert_answer(
        sql,
        "WITH t(x) AS (VALUES (4), (1), (3), (2), (NULL)) SELECT percentile(x, 0.5), percentile(x, 0), "
        "percentile(x, 1), percentile(x + 0.5, 0.75) FROM t",
        "2|1|4|3.5|\n");
    assert_answer(sql, "SELECT percentile(1, 0.5) FROM zones WHERE 0", "NULL|\n");
    assert_answer(sql, "WITH t(x) AS (VALUES (0), (1), (2), (3), (1000), (-1)) SELECT histogram(x) FROM t",
                  "[{\"from\":null,\"to\":0,\"count\":1},{\"from\":0,\"to\":1,\"count\":1},"
                  "{\"from\":1,\"to\":2,\"count\":1},{\"from\":2,\"to\":4,\"count\":2},"
                  "{\"from\":512,\"to\":1024,\"count\":1}]|\n");
    assert_answer(sql,
                  "SELECT left_id, right_id, duration_ns FROM overlaps('VALUES (1, 0, 10), (2, 20, 30)', "
                  "'VALUES (7, 5, 25), (8, 30, 40), (9, 11, 12)')",
                  "1|7|5|\n2|7|5|\n2|8|0|\n");
    assert_answer(sql,
                  "SELECT left_id, right_id FROM overlaps('VALUES (1, 0, 10, 1)', 'VALUES (7, 5, 25, 1), (8, "
                  "5, 25, 2)')",
                  "1|7|\n");
    td_sql_close(sql);
    td_trace_destroy(trace);
}

static void several_traces_are_schemas(void **state)
{
    struct td_trace *a = demo_trace(1), *b = demo_trace(2);
    struct td_sql *sql = td_sql_open(0, NULL);
    struct td_err err = {0};
    assert_int_equal(td_sql_add(sql, "a", a, NULL), 0);
    assert_int_equal(td_sql_add(sql, "b", b, NULL), 0);
    assert_int_equal(td_sql_add(sql, "A", b, &err), TD_E_USAGE);
    assert_int_equal(td_sql_add(sql, "x y", b, &err), TD_E_USAGE);
    assert_int_equal(td_sql_add(sql, "main", b, &err), TD_E_USAGE);
    assert_answer(sql,
                  "SELECT (SELECT count(*) FROM zones) = (SELECT count(*) FROM a.zones), "
                  "(SELECT count(*) FROM a.zones) < (SELECT count(*) FROM b.zones)",
                  "1|1|\n");
    td_sql_close(sql);
    td_trace_destroy(a);
    td_trace_destroy(b);
}

static void a_question_ends_at_its_limits(void **state)
{
    struct td_trace *trace = demo_trace(1);
    struct td_sql *sql = td_sql_open(8 << 20, NULL);
    struct text t = {0};
    struct td_sql_answer answer;
    struct td_err err = {0};
    t.to = open_memstream(&t.text, &t.bytes);
    const struct td_sql_sink sink = {take_names, take_row, end_rows, &t};
    assert_int_equal(td_sql_add(sql, NULL, trace, NULL), 0);
    struct td_sql_question question = {.text = "SELECT id FROM zones; SELECT 1", .rows = 3};
    assert_int_equal(td_sql_run(sql, &question, &sink, &answer, NULL), 0);
    assert_true(answer.more && answer.rows == 4);
    question = (struct td_sql_question){
        .text = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c",
        .seconds = 0.05};
    assert_int_equal(td_sql_run(sql, &question, &sink, &answer, &err), TD_E_TIMEOUT);
    err = (struct td_err){0};
    question = (struct td_sql_question){
        .text =
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c ORDER BY -x"};
    assert_int_equal(td_sql_run(sql, &question, &sink, &answer, &err), TD_E_LIMIT);
    err = (struct td_err){0};
    question = (struct td_sql_question){.text = "SELECT :n"};
    assert_int_equal(td_sql_run(sql, &question, &sink, &answer, &err), TD_E_USAGE);
    fclose(t.to);
    free(t.text);
    td_sql_close(sql);
    td_trace_destroy(trace);
}

/* ---- the page about the tables ---- */

static bool updates;

static void write_table(FILE *to, const struct td_sql *sql, size_t number)
{
    const struct td_sql_column *column;
    const struct td_query_table *table;
    size_t columns;
    const char *name = td_sql_table(sql, number, &column, &columns, &table);
    if (!strncmp(name, "model_", 6)) {
        fprintf(to, "| `%s` |", name);
        for (size_t c = 0; c < columns; c++)
            fprintf(to, "%s `%s`", c ? "," : "", column[c].name);
        fputs(" |\n", to);
        return;
    }
    fprintf(to, "\n## %s\n\nA row is %s.%s%s%s\n\n| column | type | title |\n|---|---|---|\n", name,
            table->about, table->rises ? " Sorted by `" : "", table->rises ? table->rises : "",
            table->rises ? "`." : "");
    for (size_t c = 0; c < columns; c++)
        fprintf(to, "| `%s` | %s | %s%s |\n", column[c].name, column[c].type,
                *column[c].column->title ? column[c].column->title : column[c].name,
                column[c].is_track_id ? ": its `id` in `tracks`" : "");
}

static void write_page(FILE *to, const struct td_sql *sql)
{
    bool is_model = false;
    fputs("# Tables of `tendril query`\n\n"
          "This page is made by `build/tests/test_sql --update` from the descriptions of the tables.\n"
          "[query.md](query.md) says how to ask.\n",
          to);
    for (size_t t = 0; t < td_sql_tables(sql); t++) {
        const struct td_sql_column *column;
        const struct td_query_table *table;
        size_t columns;
        if (!is_model && !strncmp(td_sql_table(sql, t, &column, &columns, &table), "model_", 6)) {
            fputs("\n## The model's own tables\n\nThey are as they are kept in memory, and may change with a "
                  "version.\n\n"
                  "| table | columns |\n|---|---|\n",
                  to);
            is_model = true;
        }
        write_table(to, sql, t);
    }
}

static void a_count_of_all_rows_has_the_name_and_the_answer_of_sqlite(void **state)
{
    static const char *const counts[][2] = {{"SELECT count(*) FROM zones", "count(*)"},
                                            {"select  COUNT( * )\nfrom main.zones ;", "COUNT( * )"},
                                            {"SELECT count(*) AS n FROM tracks", "n"},
                                            {"SELECT count(*) FROM b.Zones", "count(*)"},
                                            {"SELECT count(*) FROM zones WHERE 1", "count(*)"},
                                            {"SELECT count(*) FROM zones, tracks", "count(*)"},
                                            {"SELECT count(*) n FROM zones z", "n"}};
    struct td_trace *one = random_trace(true), *two = random_trace(true);
    struct td_sql *sql = open_sql(one);
    assert_int_equal(td_sql_add(sql, "b", two, NULL), 0);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        char slow[200], name[40] = "";
        const char *from = strstr(counts[i][0], i == 1 ? "from" : "FROM");
        snprintf(slow, sizeof slow, "SELECT sum(1) %.*s", (int)strcspn(from, ";"), from);
        assert_same(sql, counts[i][0], slow);
        const struct td_sql_sink sink = {copy_name, skip_row, end_rows, name};
        assert_int_equal(td_sql_run(sql, &(struct td_sql_question){.text = counts[i][0]}, &sink, NULL, NULL),
                         0);
        assert_string_equal(name, counts[i][1]);
    }
    assert_answer(sql, "SELECT count(*) FROM zones; SELECT count(*) FROM (SELECT 1); SELECT 2",
                  answer_in(sql, "SELECT sum(1) FROM zones; SELECT 1; SELECT 2"));
    assert_true(strstr(answer_in(sql, "SELECT count(*) FROM none"), "no such table: none") != NULL);
    td_sql_close(sql);
    td_trace_destroy(one);
    td_trace_destroy(two);
}

struct reports {
    uint64_t done, count, total;
    bool falls, is_beyond;
};

static int take_report(void *self, uint64_t done, uint64_t total)
{
    struct reports *r = self;
    r->falls |= done < r->done;
    r->is_beyond |= total && done > total;
    r->count += total != 0;
    r->total = total ? total : r->total;
    r->done = done;
    return 0;
}

static void progress_is_that_of_the_outermost_loop(void **state)
{
    struct td_trace *trace = random_trace(true);
    struct td_sql *sql = open_sql(trace);
    static const char *const questions[] = {
        "SELECT max(a.id + b.id) FROM zones AS a, tracks, zones AS b WHERE b.id < 60",
        "SELECT max(a.time_ns + b.id) FROM messages AS a, zones AS b"};
    for (size_t i = 0; i < 2; i++) {
        struct reports reports = {0};
        char ignored[40];
        const struct td_progress progress = {take_report, &reports};
        const struct td_sql_sink sink = {copy_name, skip_row, end_rows, ignored};
        const struct td_sql_question question = {.text = questions[i], .progress = &progress};
        assert_int_equal(td_sql_run(sql, &question, &sink, NULL, NULL), 0);
        assert_true(reports.count > 3 && !reports.falls && !reports.is_beyond && reports.done > 0);
    }
    td_sql_close(sql);
    td_trace_destroy(trace);
}

static void the_page_lists_the_tables_as_they_are(void **state)
{
    struct td_sql *sql = td_sql_open(0, NULL);
    char *text = NULL, *page = NULL;
    size_t bytes = 0, room = 0;
    FILE *to = open_memstream(&text, &bytes);
    write_page(to, sql);
    fclose(to);
    FILE *file = fopen(TD_SOURCE_DIR "/docs/query-tables.md", updates ? "w+" : "r");
    assert_non_null(file);
    if (updates) {
        fputs(text, file);
        rewind(file);
    }
    assert_true(getdelim(&page, &room, 0, file) > 0);
    if (strcmp(page, text) != 0)
        fail_msg("docs/query-tables.md is not what the tables are: run test_sql --update");
    fclose(file);
    free(page);
    free(text);
    td_sql_close(sql);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions_about_zones_have_the_answers_of_a_full_read),
        cmocka_unit_test(sorted_tables_have_the_answers_of_a_full_read),
        cmocka_unit_test(every_table_can_be_read),
        cmocka_unit_test(a_question_can_only_read),
        cmocka_unit_test(functions_give_what_they_promise),
        cmocka_unit_test(several_traces_are_schemas),
        cmocka_unit_test(a_question_ends_at_its_limits),
        cmocka_unit_test(a_count_of_all_rows_has_the_name_and_the_answer_of_sqlite),
        cmocka_unit_test(progress_is_that_of_the_outermost_loop),
        cmocka_unit_test(the_page_lists_the_tables_as_they_are),
    };
    updates = argc > 1 && !strcmp(argv[1], "--update");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
