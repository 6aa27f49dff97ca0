/* Traces in Fuchsia's format: in any pieces, cut off anywhere, with any bytes changed. */
#include "proto/fuchsia.h"
#include "tests/agent/import_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#define HEADER(type, words, rest) ((uint64_t)(type) | (uint64_t)(words) << 4 | (uint64_t)(rest) << 16)
#define EVENT(type, words)        HEADER(TD_FXT_EVENT, words, (type) | 1 << 8 | UINT64_C(2) << 32)

/* Bytes are those of a little-endian machine, as everywhere that these tests run. */
static const uint64_t whole[] = {
    TD_FXT_MAGIC,
    HEADER(TD_FXT_INITIALIZATION, 2, 0),
    1000000000,
    HEADER(TD_FXT_STRING, 2, 2 | 4 << 16),
    0x656e6f7a, /* "zone" */
    HEADER(TD_FXT_THREAD, 3, 1),
    100,
    101,
    EVENT(TD_FXT_DURATION_BEGIN, 2),
    1000,
    EVENT(TD_FXT_DURATION_COMPLETE, 3),
    1100,
    1200,
    EVENT(TD_FXT_DURATION_END, 2),
    2000,
    EVENT(TD_FXT_ASYNC_BEGIN, 3),
    1500,
    7,
    HEADER(TD_FXT_LARGE, 3, 0),
    1,
    2,
    EVENT(TD_FXT_ASYNC_END, 3),
    2500,
    7,
};

static void the_same_zones_come_in_pieces_of_any_size(void **state)
{
    static const size_t pieces[] = {1, 3, 8, 20, 10000};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        assert_int_equal(import_check(&td_import_fuchsia, whole, sizeof whole, pieces[i]), 3);
}

static void what_breaks_off_is_kept_up_to_there(void **state)
{
    int64_t last = 0;
    for (size_t n = 0; n <= sizeof whole; n++) {
        const int64_t zones = import_check(&td_import_fuchsia, whole, n, 64);
        assert_true(zones >= last);
        last = zones;
    }
    assert_int_equal(last, 3);
}

static void changed_bytes_change_only_what_they_say(void **state)
{
    uint8_t changed[sizeof whole];
    uint32_t seed = 4711;
    for (int round = 0; round < 5000; round++) {
        memcpy(changed, whole, sizeof changed);
        for (int i = 0; i < 1 + round % 6; i++) {
            seed = seed * 1664525 + 1013904223;
            changed[(seed >> 4) % sizeof changed] = (uint8_t)(seed >> 24);
        }
        import_check(&td_import_fuchsia, changed, sizeof changed, 256);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_zones_come_in_pieces_of_any_size),
        cmocka_unit_test(what_breaks_off_is_kept_up_to_there),
        cmocka_unit_test(changed_bytes_change_only_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
