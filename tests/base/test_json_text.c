/* Strings of JSON are valid UTF-8 and valid JSON, whatever bytes the text has. */
#include "host/base/json_text.h"
#include "host/base/plain_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static char *written(const char *text, size_t bytes, const char *also)
{
    char *to = NULL;
    size_t size;
    FILE *file = open_memstream(&to, &size);
    assert_non_null(file);
    td_json_write_string(file, text, bytes, also);
    fclose(file);
    return to;
}

static void any_text_is_a_string(void **state)
{
    static const struct {
        const char *text, *json;
    } cases[] = {
        {"", "\"\""},
        {"a\"b\\c\n\t", "\"a\\\"b\\\\c\\n\\u0009\""},
        {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\""},
        {"\xff\xc3", "\"\\ufffd\\ufffd\""},
        {"\xc0\xaf", "\"\\ufffd\\ufffd\""},                       /* an overlong slash */
        {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},            /* a surrogate */
        {"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""}, /* beyond U+10FFFF */
        {"\xe2\x82", "\"\\ufffd\\ufffd\""},                       /* cut off */
        {"\xe2\x80\xae", "\"\\u202e\""},
        {"`", "\"\\u0060\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *json = written(cases[i].text, strlen(cases[i].text), "`");
        assert_string_equal(json, cases[i].json);
        free(json);
    }
    char *json = written("a\0b", 3, "");
    assert_string_equal(json, "\"a\\u0000b\"");
    free(json);
}

static void json_of_others_becomes_utf8(void **state)
{
    static const struct {
        const char *text, *json;
    } cases[] = {
        {"", ""},
        {"{\"\xc3\xa4\":\"\\u00e4\"}", "{\"\xc3\xa4\":\"\\u00e4\"}"},
        {"{\"\xff\":\"a\xc3\"}", "{\"\xef\xbf\xbd\":\"a\xef\xbf\xbd\"}"},
        {"\x80\x80\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = td_json_repair(strdup(cases[i].text));
        assert_string_equal(text, cases[i].json);
        free(text);
    }
    assert_null(td_json_repair(NULL));
}

static void escapes_are_those_of_json(void **state)
{
    static const struct {
        const char *text;
        size_t bytes;
    } cases[] = {{"\\n", 2}, {"\\\\", 2},    {"\\\"x", 2}, {"\\u00e4", 6}, {"\\u00e", 0},
                 {"\\", 0},  {"\\u00g4", 0}, {"\\q", 0},   {"n", 0},       {"", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(td_json_escape_bytes(cases[i].text, strlen(cases[i].text)), cases[i].bytes);
    assert_int_equal(td_json_escape_bytes("\\u00e4", 5), 0);
    assert_int_equal(td_json_escape_bytes("\\\0", 2), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_text_is_a_string),
        cmocka_unit_test(json_of_others_becomes_utf8),
        cmocka_unit_test(escapes_are_those_of_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
