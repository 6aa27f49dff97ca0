/* CSV from bytes in pieces of any size. */
#include "host/tt/csv_reader.h"
#include "host/tt/csv_write.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

struct printed {
    char *text;
    size_t bytes;
    FILE *to;
};

static int print_row(void *self, const struct td_tt_text *fields, size_t count, uint64_t line,
                     struct td_err *err)
{
    struct printed *printed = self;
    (void)err;
    fprintf(printed->to, "%d", (int)line);
    for (size_t i = 0; i < count; i++)
        fprintf(printed->to, "|%.*s", (int)fields[i].bytes, fields[i].at);
    putc('$', printed->to);
    return 0;
}

/* All rows as text, "LINE|FIELD|FIELD$", then "cut" if the end is missing, or the error. To be freed. */
static char *rows_of(const char *csv, size_t count, char quote, size_t piece)
{
    struct printed printed = {0};
    struct td_err err = {0};
    bool cut = false;
    printed.to = open_memstream(&printed.text, &printed.bytes);
    const struct td_csv_options options = {
        .file = "a.csv", .quote = quote, .take_row = print_row, .self = &printed};
    struct td_csv_reader *reader = td_csv_reader_create(&options);
    assert_non_null(reader);
    int bad = 0;
    for (size_t at = 0; at < count && !bad; at += piece) {
        const size_t n = count - at < piece ? count - at : piece;
        char *exact = malloc(n); /* so that a sanitizer finds a read past its end */
        assert_non_null(exact);
        memcpy(exact, csv + at, n);
        bad = td_csv_reader_feed(reader, exact, n, &err);
        free(exact);
    }
    bad = bad ? bad : td_csv_reader_end_stream(reader, &cut, &err);
    fputs(bad ? err.text : cut ? "cut" : "", printed.to);
    td_csv_reader_destroy(reader);
    fclose(printed.to);
    return printed.text;
}

static void expect(const char *csv, char quote, const char *rows)
{
    for (size_t piece = 1; piece < strlen(csv) + 2; piece++) {
        char *text = rows_of(csv, strlen(csv), quote, piece);
        assert_string_equal(text, rows);
        free(text);
    }
}

static void lines_end_in_either_way(void **state)
{
    (void)state;
    expect("a,b\nc,d\n", 0, "1|a|b$2|c|d$");
    expect("a,b\r\nc,d\r\n", 0, "1|a|b$2|c|d$");
    expect("a,b\nc,d", 0, "1|a|b$2|c|d$");
    expect("a,\r\n\r\n\n,\n", 0, "1|a|$4||$");
    expect("", 0, "");
}

static void a_byte_order_mark_is_skipped(void **state)
{
    (void)state;
    expect("\xef\xbb\xbf"
           "a,b\n\xef\xbb\xbf"
           "c\n",
           0,
           "1|a|b$2|\xef\xbb\xbf"
           "c$");
    expect("\xef\xbb\xbf\"a,a\",b\n", '"', "1|a,a|b$");
}

static void quotes_hide_separators_and_newlines(void **state)
{
    (void)state;
    expect("\"a,b\",c\nd\n", '"', "1|a,b|c$2|d$");
    expect("\"a\nb\"\"c\"\"\",\"\",\"d\"e\nf\n", '"', "1|a\nb\"c\"||de$3|f$");
    expect("a\"b,c\"d\n", '"', "1|a\"b|c\"d$");
    expect("\"a,b\",c\n", 0, "1|\"a|b\"|c$");
    expect("a\n\"b\nc", '"', "1|a$cut");
    expect("a\n\"b\"", '"', "1|a$2|b$");
    expect("`a,\nb` ; c\n", '`', "1|a,\nb ; c$");
}

/* A quoted field with many lines, fed in small pieces, takes time in proportion to its length. */
static void long_quoted_fields_are_read(void **state)
{
    (void)state;
    const size_t bytes = 400000;
    char *csv = malloc(bytes + 1);
    assert_non_null(csv);
    memset(csv, '\n', bytes);
    csv[0] = csv[bytes - 2] = '"';
    csv[bytes] = 0;
    char *text = rows_of(csv, bytes, '"', 16);
    assert_int_equal(strlen(text), bytes - 3 + 3);
    free(text);
    free(csv);
}

static void too_many_fields_are_an_error_with_file_and_line(void **state)
{
    (void)state;
    char csv[6000];
    memset(csv, ',', sizeof csv - 1);
    csv[1] = '\n';
    csv[sizeof csv - 1] = 0;
    char *text = rows_of(csv, strlen(csv), 0, 100000);
    assert_string_equal(text, "1||$a.csv:2: a row has more than 4096 fields");
    free(text);
}

static void columns_are_found_by_trimmed_names(void **state)
{
    (void)state;
    const struct td_tt_text header[] = {{" one", 4}, {"  TWO ", 6}, {"old", 3}, {"one", 3}};
    const char *const names[] = {"One", "two", "new", "four"}, *const also[] = {NULL, NULL, "old", NULL};
    int number_of[4];
    td_csv_find_columns(header, 4, names, also, 4, number_of);
    assert_int_equal(number_of[0], 0);
    assert_int_equal(number_of[1], 1);
    assert_int_equal(number_of[2], 2);
    assert_int_equal(number_of[3], -1);
}

static void numbers_do_not_depend_on_the_locale(void **state)
{
    (void)state;
    uint64_t u;
    int64_t i;
    double d;
    assert_true(td_tt_text_u64(td_tt_text_of("18446744073709551615"), &u) && u == UINT64_MAX);
    assert_false(td_tt_text_u64(td_tt_text_of("18446744073709551616"), &u));
    assert_true(td_tt_text_u64(td_tt_text_of("1024.0"), &u) && u == 1024);
    assert_true(td_tt_text_u64(td_tt_text_of("100"), &u) && u == 100);
    assert_false(td_tt_text_u64(td_tt_text_of("1024.5"), &u));
    assert_false(td_tt_text_u64(td_tt_text_of(""), &u));
    assert_false(td_tt_text_u64(td_tt_text_of(".0"), &u));
    assert_false(td_tt_text_u64(td_tt_text_of("-1"), &u));
    assert_true(td_tt_text_i64(td_tt_text_of("-12"), &i) && i == -12);
    assert_true(td_tt_text_double(td_tt_text_of("1.5"), &d) && d == 1.5);
    assert_true(td_tt_text_double(td_tt_text_of("-2.5e3"), &d) && d == -2500);
    assert_true(td_tt_text_double(td_tt_text_of("31.144"), &d) && d == 31.144);
    assert_false(td_tt_text_double(td_tt_text_of("1,5"), &d));
    assert_false(td_tt_text_double(td_tt_text_of("1e"), &d));
    assert_false(td_tt_text_double(td_tt_text_of("1e9999"), &d));
    assert_false(td_tt_text_double(td_tt_text_of("."), &d));
}

static void values_are_written_as_the_files_have_them(void **state)
{
    (void)state;
    char *text;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    td_csv_write_value(to, td_tt_text_of("[1, 2]"));
    td_csv_write_value(to, td_tt_text_of("a\r\nb"));
    td_csv_write_value(to, td_tt_text_of("x\"y"));
    fclose(to);
    assert_string_equal(text, "[1; 2]a b\"x\"\"y\"");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_end_in_either_way),
        cmocka_unit_test(a_byte_order_mark_is_skipped),
        cmocka_unit_test(quotes_hide_separators_and_newlines),
        cmocka_unit_test(long_quoted_fields_are_read),
        cmocka_unit_test(too_many_fields_are_an_error_with_file_and_line),
        cmocka_unit_test(columns_are_found_by_trimmed_names),
        cmocka_unit_test(numbers_do_not_depend_on_the_locale),
        cmocka_unit_test(values_are_written_as_the_files_have_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
