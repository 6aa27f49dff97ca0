/* Each table of small traces, in each form, is what the files below tests/golden have, which a person has read. Tables
 * without rows, and long ones, have no files; of the last traces only those that no other trace has rows for. `test_query_tables
 * --update` writes the files. */
#include "host/file/file.h"
#include "host/query/table/tables.h"
#include "host/query/table/text_form.h"
#include "tests/query/demo_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
    const char *name, *path; /* path NULL: of demo_trace.h */
    bool fills_gaps;         /* only tables without rows in the traces before */
} traces[] = {{"features", "0.11.1/features.tracy", false},
              {"gpu", "0.11.1/gpu.tracy", false},
              {"demo", NULL, true},
              {"synthetic", "0.11.1/synthetic.tracy", true},
              {"noc", NULL, true}};

#define MOST_ROWS 800 /* of a golden file */

static bool updates;

static void write_json(FILE *f, const struct td_query_rows *rows)
{
    struct td_json j = {.to = f};
    td_json_object(&j, NULL);
    assert_int_equal(td_query_json(&j, rows->table->name, rows, NULL), 0);
    td_json_end_object(&j);
}

static void write_lines(FILE *f, const struct td_query_rows *rows)
{
    td_query_lines(f, rows, NULL);
}

static void write_csv(FILE *f, const struct td_query_rows *rows)
{
    td_query_csv(f, rows, NULL);
}

static void write_text(FILE *f, const struct td_query_rows *rows)
{
    td_query_text(f, rows, NULL, 20);
}

static const struct form {
    const char *end;
    void (*write)(FILE *f, const struct td_query_rows *rows);
} forms[] = {{"json", write_json}, {"tsv", write_lines}, {"csv", write_csv}, {"txt", write_text}};

static char *read_file(const char *path)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *from = fopen(path, "r"), *to = open_memstream(&text, &bytes);
    assert_non_null(to);
    for (int c; from && (c = fgetc(from)) != EOF;)
        putc(c, to);
    if (from)
        fclose(from);
    fclose(to);
    return text;
}

static void check_form(const char *folder, const struct td_query_rows *rows, const struct form *form)
{
    char path[700], *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    snprintf(path, sizeof path, "%s/%s.%s", folder, rows->table->name, form->end);
    assert_non_null(f);
    form->write(f, rows);
    fclose(f);
    if (updates) {
        FILE *golden = fopen(path, "w");
        assert_non_null(golden);
        assert_int_equal(fwrite(text, 1, bytes, golden), bytes);
        assert_int_equal(fclose(golden), 0);
    }
    char *golden = read_file(path);
    if (strcmp(golden, text))
        fail_msg("%s is\n%s\nbut the table is\n%s", path, golden, text);
    free(golden);
    free(text);
}

/* A file of columns, such as Parquet's, has one type for all values of a column. */
static void check_kinds(const struct td_query_rows *rows)
{
    char room[TD_QUERY_ROOM];
    for (size_t c = 0; c < rows->table->column_count; c++) {
        const struct td_query_column *column = &rows->table->columns[c];
        const bool real =
            column->type == TD_AS_NUMBER || column->type == TD_AS_MEAN || column->type == TD_AS_SHARE;
        for (uint64_t i = 0; i < rows->count; i++) {
            const struct td_query_value value = td_query_get(rows, i, column, room);
            if (value.kind > TD_IS_NONE && (column->type == TD_AS_TEXT) + 2 * real !=
                                               (value.kind == TD_IS_TEXT) + 2 * (value.kind == TD_IS_REAL))
                fail_msg("%s.%s of row %" PRIu64 " has another kind than its column", rows->table->name,
                         column->key, i);
        }
    }
}

static struct td_trace *make_trace(bool noc)
{
    static const struct noc_line lines[] = {
        {100, 1, 2, 0, "NoC READ noc=NOC_0 vc=-1 num_bytes=4096 dx=2 dy=2"},
        {300, 1, 2, 0, "NoC READ_BARRIER_END noc=NOC_0 vc=-1 num_bytes=0"},
        {500, 1, 2, 1, "NoC WRITE_ noc=NOC_1 vc=-1 num_bytes=1024 dx=1 dy=3"},
        {900, 1, 2, 0, "counter FPU_COUNTER: 30 of 120"}};
    return noc ? noc_trace(lines, sizeof lines / sizeof *lines) : demo_trace(2);
}

static struct td_trace *open_trace(const char *name, bool noc)
{
    struct td_trace *trace;
    struct td_err err = {0};
    char path[500];
    snprintf(path, sizeof path, TD_SOURCE_DIR "/tests/data/trace/%s", name ? name : "");
    if (name && td_file_read(path, &trace, &err) < 0)
        fail_msg("%s", err.text);
    return name ? trace : make_trace(noc);
}

static void tables_are_as_their_golden_files(void **state)
{
    bool has_rows[100] = {0};
    for (size_t t = 0; t < sizeof traces / sizeof *traces; t++) {
        struct td_trace *trace = open_trace(traces[t].path, !strcmp(traces[t].name, "noc"));
        char folder[500];
        snprintf(folder, sizeof folder, TD_SOURCE_DIR "/tests/golden/%s", traces[t].name);
        if (updates)
            mkdir(folder, 0777);
        const struct td_query_request all = td_query_all(trace);
        for (size_t i = 0; td_query_tables[i]; i++) {
            int rc;
            struct td_query_rows *rows = td_query_make(td_query_tables[i], &all, &rc);
            assert_non_null(rows);
            const bool checks =
                rows->count && rows->count <= MOST_ROWS && !(traces[t].fills_gaps && has_rows[i]);
            check_kinds(rows);
            for (size_t k = 0; checks && k < sizeof forms / sizeof *forms; k++)
                check_form(folder, rows, &forms[k]);
            has_rows[i] |= rows->count > 0;
            td_query_free(rows);
        }
        td_trace_destroy(trace);
    }
}

/* What SQL and a person's eye rely on: names are unique, times say their unit, forms name columns that there are. */
static void tables_describe_their_columns(void **state)
{
    for (size_t i = 0; td_query_tables[i]; i++) {
        const struct td_query_table *table = td_query_tables[i];
        const char *const names[] = {NULL, table->json, table->lines, table->text};
        struct td_query_choice choice;
        if (i)
            assert_true(strcmp(td_query_tables[i - 1]->name, table->name) < 0);
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (!td_query_choose(&choice, table, names[k]))
                fail_msg("table %s has no column for '%s'", table->name, names[k]);
        assert_int_equal(choice.count > 0, true);
        for (size_t c = 0; c < table->column_count; c++) {
            const struct td_query_column *column = &table->columns[c];
            const size_t bytes = strlen(column->key);
            const bool time =
                column->type == TD_AS_TIME || column->type == TD_AS_DURATION || column->type == TD_AS_MEAN;
            assert_ptr_equal(td_query_column_named(table, column->key), column);
            if (time && (bytes < 3 || strcmp(column->key + bytes - 3, "_ns")))
                fail_msg("%s.%s is a time, but its name does not end in _ns", table->name, column->key);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_as_their_golden_files),
        cmocka_unit_test(tables_describe_their_columns),
    };
    updates = argc > 1 && !strcmp(argv[1], "--update");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
