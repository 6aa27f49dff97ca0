/* Names from outside: what could steer a terminal is replaced, a character each; all else stays as it is. */
#include "host/base/cell_text.h"
#include "host/base/err.h"
#include "host/base/plain_text.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct {
    const char *text, *plain;
} cases[] = {
    {"", ""},
    {"zone \xc2\xb5s \xe2\x82\xac \xf0\x9f\x98\x80", "zone \xc2\xb5s \xe2\x82\xac \xf0\x9f\x98\x80"},
    {"\x1b[31mred\x1b[0m", "?[31mred?[0m"},
    {"\x1b]0;title\x07", "?]0;title?"},
    {"a\nb\tc\rd\x7f", "a?b?c?d?"},
    {"\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0", "???\xc2\xa0"},        /* C1, then a space that is none of it */
    {"\x9b\x33\x31m", "?31m"},                                  /* CSI as one byte */
    {"\xe2\x80\xaa\xe2\x80\xae\xe2\x80\xaf", "??\xe2\x80\xaf"}, /* U+202A, U+202E, U+202F */
    {"\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa", "\xe2\x81\xa5??\xe2\x81\xaa"}, /* U+2065 to U+206A */
    {"\xe2\x80\x8d\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c", "\xe2\x80\x8d???"},
    {"\xe2\x80\xa8\xe2\x80\xa9", "??"},
    {"\xc0\x9b\xe0\x80\x9b\xf0\x80\x80\x9b", "?????????"}, /* overlong escapes */
    {"\xed\xa0\x80", "???"},                               /* half of a surrogate pair */
    {"\xf4\x90\x80\x80\xff\xfe", "??????"},
    {"cut \xe2\x82", "cut ??"},
    {"\xe2\x82\x1b[m", "???[m"},
};

static void what_steers_a_terminal_is_replaced(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64], printed[64] = "";
        assert_string_equal(TD_PLAIN(cases[i].text), cases[i].plain);
        snprintf(text, sizeof text, "%s", cases[i].text);
        assert_string_equal(td_plain(text), cases[i].plain);
        FILE *file = fmemopen(printed, sizeof printed, "w");
        td_plain_print(file, cases[i].text, strlen(cases[i].text));
        fclose(file);
        assert_string_equal(printed, cases[i].plain);
    }
}

static void lines_stay_lines(void **state)
{
    char text[] = "a,\"b\nc\"\tq\xe2\x80\xae\x1b[2J\xc2\xb5\n";
    size_t bytes = td_plain_lines(text, sizeof text - 1);
    assert_int_equal(bytes, strlen("a,\"b\nc\"\tq??[2J\xc2\xb5\n"));
    assert_memory_equal(text, "a,\"b\nc\"\tq??[2J\xc2\xb5\n", bytes);
}

static void cut_text_ends_with_a_whole_character(void **state)
{
    char to[6];
    assert_string_equal(td_plain_copy(to, 6,
                                      "ab\xe2\x82\xac"
                                      "c"),
                        "ab\xe2\x82\xac");
    assert_string_equal(td_plain_copy(to, 5, "ab\xe2\x82\xac"), "ab");
    assert_string_equal(td_plain_copy(to, 3, "\x1b\x1b\x1b\x1b"), "??");
    assert_string_equal(td_plain_copy(to, 1, "abc"), "");
}

/* A line stays one line with any name in it. */
static void errors_are_plain(void **state)
{
    struct td_err err = {0};
    td_fail(&err, TD_E_FORMAT, "%s: \xc2\xb5 no trace", "x\n\x1b[31m");
    assert_string_equal(err.text, "x??[31m: \xc2\xb5 no trace");
    err = (struct td_err){0};
    errno = ENOENT;
    td_fail_errno(&err, "cannot open %s", "\xc2\x9b\xe2\x80\xaex");
    assert_string_equal(err.text, "cannot open ??x: No such file or directory");
}

/* Whatever the name, a list has as many lines and columns. */
static void a_name_stays_in_its_cell(void **state)
{
    char to[16];
    assert_string_equal(TD_CELL("a\tb\nc\r\\d \xe2\x82\xac"), "a\\tb\\nc\\r\\d \xe2\x82\xac");
    assert_string_equal(td_cell_copy(to, 4, "ab\tc"), "ab");
    assert_string_equal(td_cell_copy(to, 5, "ab\tc"), "ab\\t");
    assert_string_equal(td_cell_copy(to, 5, "ab\xe2\x82\xac"), "ab");
    assert_true(td_cell_is_changed("a\n", 2));
    assert_false(td_cell_is_changed("a\n", 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_steers_a_terminal_is_replaced),
        cmocka_unit_test(lines_stay_lines),
        cmocka_unit_test(cut_text_ends_with_a_whole_character),
        cmocka_unit_test(errors_are_plain),
        cmocka_unit_test(a_name_stays_in_its_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
