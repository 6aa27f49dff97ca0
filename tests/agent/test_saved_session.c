/* Saved sessions: in pieces of any size, cut off anywhere, with any byte changed. */
#include "tests/agent/saved_session_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint8_t bytes[1 << 20];
static size_t count;

static int read_session(void **state)
{
    FILE *file = fopen(TD_SOURCE_DIR "/tests/data/session/0.14.0/features.stream", "rb");
    if (!file)
        return -1;
    count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return count > 20000 ? 0 : -1;
}

static void pieces_of_any_size_are_one_session(void **state)
{
    static const size_t pieces[] = {1, 3, 1000, 1 << 20};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        assert_int_equal(saved_session_check(bytes, count, pieces[i]), 1);
}

static void a_session_that_breaks_off_is_kept_from_its_greeting_on(void **state)
{
    int last = 0;
    for (size_t n = 0; n < count; n += 1 + n / 50) {
        int kept = saved_session_check(bytes, n, 4096);
        assert_true(kept >= last);
        last = kept;
    }
    assert_int_equal(last, 1);
}

static void changed_bytes_are_refused_or_taken_for_what_they_say(void **state)
{
    uint8_t *changed = malloc(count);
    uint32_t seed = 12345;
    assert_non_null(changed);
    for (int round = 0; round < 150; round++) {
        memcpy(changed, bytes, count);
        for (int i = 0; i < 1 + round % 8; i++) {
            seed = seed * 1664525 + 1013904223;
            size_t at = (seed >> 4) % (round & 1 ? 2000 : count);
            changed[at] = (uint8_t)(seed >> 24);
        }
        saved_session_check(changed, count, 65536);
    }
    free(changed);
}

static void other_bytes_are_refused(void **state)
{
    static const uint8_t lone[] = {1, 12, 0, 0, 0, 'T', 'r', 'a', 'c', 'y', 'P', 'r', 'f', 9, 0, 0, 0};
    static const uint8_t early[] = {0, 4, 0, 0, 0, 1, 2, 3, 4};
    assert_int_equal(saved_session_check((const uint8_t *)"", 0, 1), 0);
    assert_int_equal(saved_session_check((const uint8_t *)"no session at all", 17, 5), 0);
    assert_int_equal(saved_session_check(lone, sizeof lone, 4), 0);
    assert_int_equal(saved_session_check(early, sizeof early, 4), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_of_any_size_are_one_session),
        cmocka_unit_test(a_session_that_breaks_off_is_kept_from_its_greeting_on),
        cmocka_unit_test(changed_bytes_are_refused_or_taken_for_what_they_say),
        cmocka_unit_test(other_bytes_are_refused),
    };
    return cmocka_run_group_tests(tests, read_session, NULL);
}
