/* Traces in Chrome's format: both forms of the list, in any pieces, cut off anywhere, with any bytes changed.
 */
#include "tests/agent/import_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define LIST                                                                                                 \
    "[{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":2,\"args\":{\"name\":\"a "                    \
    "\\\"thread\\\"\"}},\n"                                                                                  \
    "{\"ph\":\"X\",\"name\":\"in "                                                                           \
    "{[\\\\\",\"pid\":1,\"tid\":2,\"ts\":10.5,\"dur\":2,\"args\":{\"n\":[1,{}]}},\n"                         \
    "{\"ph\":\"X\",\"name\":\"out\",\"pid\":1,\"tid\":2,\"ts\":10.5,\"dur\":\"7.25\",\"loc\":\"a.c:7\"},\n"  \
    "{\"ph\":\"B\",\"name\":\"open\",\"pid\":\"one\",\"tid\":3,\"ts\":1},{\"ph\":\"E\",\"tid\":9,\"ts\":3}," \
    "\n"                                                                                                     \
    "{\"ph\":\"C\",\"name\":\"c\",\"ts\":4,\"args\":{\"x_bytes\":1e300,\"y\":\"no\"}},\n"                    \
    "{\"ph\":\"i\",\"name\":\"frame\",\"ts\":5},{\"ph\":\"I\",\"name\":\"said\",\"ts\":6},{\"ph\":\"?\"},{}"

static const char in_object[] = "{\"other\":[{\"a\":\"traceEvents\"},1],\n\"traceEvents\": " LIST "]"
                                ", \"traceEvents2\": [], \"more\": {\"traceEvents\": [1]}}\n";
static const char bare[] = "\xef\xbb\xbf " LIST "]\n";
static const char unended[] = LIST ",\n";

static void all_forms_hold_the_same_zones_in_pieces_of_any_size(void **state)
{
    static const size_t pieces[] = {1, 2, 7, 100, 10000};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        assert_int_equal(import_check(&td_import_chrome, in_object, strlen(in_object), pieces[i]), 6);
        assert_int_equal(import_check(&td_import_chrome, bare, strlen(bare), pieces[i]), 6);
        assert_int_equal(import_check(&td_import_chrome, unended, strlen(unended), pieces[i]), 6);
    }
    assert_int_equal(import_check(&td_import_chrome, "[]", 2, 2), 0);
    assert_int_equal(import_check(&td_import_chrome, "{\"traceEvents\":[]}", 18, 18), 0);
}

static void what_breaks_off_is_kept_from_the_list_on(void **state)
{
    int64_t last = -1;
    for (size_t n = 0; n < strlen(in_object); n++) {
        int64_t kept = import_check(&td_import_chrome, in_object, n, 64);
        assert_true(kept >= last);
        last = kept;
    }
    assert_int_equal(last, 6);
}

static void changed_bytes_are_refused_or_taken_for_what_they_say(void **state)
{
    char changed[sizeof in_object];
    uint32_t seed = 4711;
    for (int round = 0; round < 3000; round++) {
        memcpy(changed, in_object, sizeof changed);
        for (int i = 0; i < 1 + round % 6; i++) {
            seed = seed * 1664525 + 1013904223;
            char byte = (char)(seed >> 24);
            if (round & 1)
                byte = "{}[]\",:0"[seed >> 24 & 7];
            changed[(seed >> 4) % (sizeof changed - 1)] = byte;
        }
        import_check(&td_import_chrome, changed, sizeof changed - 1, 256);
    }
}

static void what_is_no_list_of_events_is_refused(void **state)
{
    static const char *const wrong[] = {
        "",     " ",       "{}",   "{\"traceEvents\":{}}",          "[1]",
        "[[]]", "[\"x\"]", "text", "{\"traceEvents\":[{\"a\" 1}]}", "[{]}",
        "[][]", "[] x",    "[]]",  "{\"traceEvents\":[]}{}",        "[{}]\n\n[{}]",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(import_check(&td_import_chrome, wrong[i], strlen(wrong[i]), 3), -1);
    char deep[4096];
    memset(deep, '[', sizeof deep);
    memcpy(deep, "[{\"a\":", 6);
    for (size_t i = 2048; i < sizeof deep; i++)
        deep[i] = ']';
    import_check(&td_import_chrome, deep, sizeof deep, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_forms_hold_the_same_zones_in_pieces_of_any_size),
        cmocka_unit_test(what_breaks_off_is_kept_from_the_list_on),
        cmocka_unit_test(changed_bytes_are_refused_or_taken_for_what_they_say),
        cmocka_unit_test(what_is_no_list_of_events_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
