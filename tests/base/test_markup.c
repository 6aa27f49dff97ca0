/* Text from outside is one piece of text in XML and HTML. */
#include "host/base/markup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static char *marked_up(const char *text, size_t max_bytes)
{
    char *result;
    size_t bytes;
    FILE *to = open_memstream(&result, &bytes);
    assert_non_null(to);
    if (max_bytes)
        td_markup_cut(to, text, max_bytes);
    else
        td_markup_text(to, text);
    assert_int_equal(fclose(to), 0);
    return result;
}

static void expect(const char *text, size_t max_bytes, const char *wanted)
{
    char *got = marked_up(text, max_bytes);
    assert_string_equal(got, wanted);
    free(got);
}

static void what_has_a_meaning_in_markup_is_escaped(void **state)
{
    expect("<script>&amp;\"'</script>", 0, "&lt;script&gt;&amp;amp;&quot;&#39;&lt;/script&gt;");
    expect("a\nb\tc", 0, "a&#10;b&#9;c");
    expect("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", 0, "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    expect("", 0, "");
}

static void what_xml_does_not_allow_is_replaced(void **state)
{
    expect("\x01\x1b\x7f\r", 0, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    expect("a\xff\xc3(", 0, "a\xef\xbf\xbd\xef\xbf\xbd(");
    expect("\xed\xa0\x80", 0, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); /* a surrogate */
    expect("\xef\xbf\xbe\xef\xbf\xbf", 0, "\xef\xbf\xbd\xef\xbf\xbd"); /* U+FFFE, U+FFFF */
    expect("\xe2\x80\xae", 0, "\xef\xbf\xbd");                         /* reverses the line */
    expect("end\xc3", 0, "end\xef\xbf\xbd");
}

static void cuts_keep_whole_characters(void **state)
{
    expect("abcdef", 6, "abcdef");
    expect("abcdef", 5, "abcde\xe2\x80\xa6");
    expect("ab\xe2\x82\xac"
           "d",
           4, "ab\xe2\x80\xa6");
    expect("<<<<", 2, "&lt;&lt;\xe2\x80\xa6");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_a_meaning_in_markup_is_escaped),
        cmocka_unit_test(what_xml_does_not_allow_is_replaced),
        cmocka_unit_test(cuts_keep_whole_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
