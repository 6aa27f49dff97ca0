/* Regular expressions as ECMAScript has them. */
#include "host/base/regex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int replace(const char *pattern, const char *text, const char *replacement, char **result)
{
    struct td_regex *regex;
    struct td_err err = {0};
    if (td_regex_compile(pattern, &regex, &err) < 0)
        fail_msg("%s", err.text);
    int rc = td_regex_replace(regex, text, replacement, result);
    td_regex_free(regex);
    return rc;
}

static void matches_are_replaced(void **state)
{
    /* NULL: no match. */
    static const char *const cases[][4] = {
        {"^/opt/ci", "/opt/ci/a.so", "/mnt", "/mnt/a.so"},
        {"^/opt/ci$", "/opt/ci/a.so", "/mnt", NULL},
        {"^/opt/([^/]+)/(.*)$", "/opt/ci/lib/a.so", "/mnt/$1/$2", "/mnt/ci/lib/a.so"},
        {"(a|ab)(c|bcd)(d*)", "abcd", "[$1][$2][$3]", "[a][bcd][]"},
        {"a*?b", "aaab", "x", "x"},
        {"<.+?>", "<a><b>", "x", "xx"},
        {"<.+>", "<a><b>", "x", "x"},
        {"x{2,3}", "xxxxx", "y", "yy"},
        {"x{2}?", "xxxxx", "y", "yyx"},
        {"(?:ab)+", "ababx", "-", "-x"},
        {"(ab)+c", "ababc", "$1", "ab"},
        {"lib(?=c)", "libc libm", "X", "Xc libm"},
        {"lib(?!c)", "libc libm", "X", "libc Xm"},
        {"\\bso\\b", "also so", "x", "also x"},
        {"\\Bso", "also so", "x", "alx so"},
        {"(\\w)\\1", "book", "<$1>", "b<o>k"},
        {"[[:digit:]]+", "a12b3", "#", "a#b#"},
        {"[^\\d\\s]", "1 a", "x", "1 x"},
        {"[a\\-z]", "b-z", "x", "bxx"},
        {"[]x]", "x]", "y", NULL},
        {"\\x41\\u0042", "AB", "y", "y"},
        {"\\.so(\\.\\d+)*$", "libc.so.6.1", "", "libc"},
        {".*", "abc", "x", "xx"},
        {"", "ab", "-", "-a-b-"},
        {"b", "abc", "[$`|$&|$'|$$|$]", "a[a|b|c|$|$]c"},
        {"(a)(b)?", "a", "$2.$10.$99.$01", "...a"},
        {"(a*)*b", "aaaaaaaaaaaaaaaac", "x", NULL},
        {"(?:(a)|b)*", "ab", "$1", "a"},
        {"C:\\\\(.*)\\.dll", "C:\\x.dll", "/w/$1.dll", "/w/x.dll"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *result;
        int found = replace(cases[i][0], cases[i][1], cases[i][2], &result);
        assert_int_equal(found, cases[i][3] != NULL);
        if (found && strcmp(result, cases[i][3]))
            fail_msg("/%s/ in '%s' by '%s': '%s' instead of '%s'", cases[i][0], cases[i][1], cases[i][2],
                     result, cases[i][3]);
        free(result);
    }
}

static void wrong_patterns_are_told_of(void **state)
{
    static const char *const wrong[] = {"(", ")",      "a)", "(?<a)",   "[a", "[b-a]",
                                        "*", "a{2,1}", "\\", "[[:x:]]", "(?", "(*)"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct td_regex *regex;
        struct td_err err = {0};
        if (td_regex_compile(wrong[i], &regex, &err) != TD_E_USAGE)
            fail_msg("'%s' was taken", wrong[i]);
        assert_non_null(strstr(err.text, "is no regular expression"));
        assert_null(regex);
    }
}

static void what_would_take_for_ever_ends(void **state)
{
    char text[4097];
    char *result;
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = 0;
    assert_int_equal(replace("(a|aa)+[0-9]", text, "x", &result), TD_E_LIMIT);
    assert_null(result);
    text[40] = 0;
    assert_int_equal(replace("^(a+)+$", text, "x", &result), 1);
    assert_string_equal(result, "x");
    free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_are_replaced),
        cmocka_unit_test(wrong_patterns_are_told_of),
        cmocka_unit_test(what_would_take_for_ever_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
