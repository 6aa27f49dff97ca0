/* Packed integers of every width, count and place, with and without a rest after the widest instructions. */
#include "host/trace/pack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST = 300 };

static uint64_t state = 1234567;

static uint64_t any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static void round_trip(unsigned count, unsigned width, int64_t base)
{
    int64_t values[MOST], back[MOST], least, most;
    size_t bytes = (size_t)count * width + TD_PACK_SLACK;
    uint8_t *packed = malloc(bytes + 1);
    assert_non_null(packed);
    packed[bytes] = 0xa5;
    for (unsigned i = 0; i < count; i++)
        values[i] = (int64_t)((uint64_t)base + (width ? any() >> (64 - 8 * width) : 0));
    td_pack_span(values, count, &least, &most);
    for (unsigned i = 0; i < count; i++)
        assert_true(values[i] >= least && values[i] <= most);
    td_pack(packed, values, count, base, width);
    assert_int_equal(packed[bytes], 0xa5);
    td_pack_expand(back, packed, count, base, width);
    assert_memory_equal(back, values, count * sizeof *values);
    for (unsigned i = 0; i < count; i++)
        assert_true(td_pack_get(packed, i, base, width) == values[i]);
    free(packed);
}

static void what_is_packed_comes_back(void **unused)
{
    for (unsigned count = 1; count < MOST; count += count < 70 ? 1 : 37) {
        for (unsigned width = 0; width <= 8; width++) {
            round_trip(count, width, 0);
            round_trip(count, width, INT64_MIN);
            round_trip(count, width, (int64_t)any());
        }
    }
    (void)unused;
}

static void a_width_is_the_least_that_fits(void **unused)
{
    assert_int_equal(td_pack_width(0), 0);
    for (unsigned width = 1; width <= 8; width++) {
        uint64_t most = UINT64_MAX >> (64 - 8 * width);
        assert_int_equal(td_pack_width(most), width);
        if (width < 8)
            assert_int_equal(td_pack_width(most + 1), width + 1);
    }
    (void)unused;
}

static void the_span_is_found_at_any_place(void **unused)
{
    int64_t values[MOST] = {0}, least, most;
    for (unsigned count = 2; count < 40; count++) {
        for (unsigned i = 0; i < count; i++) {
            values[i] = INT64_MIN;
            values[(i + 1) % count] = INT64_MAX;
            td_pack_span(values, count, &least, &most);
            assert_true(least == INT64_MIN && most == INT64_MAX);
            values[i] = values[(i + 1) % count] = 0;
        }
    }
    (void)unused;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_packed_comes_back),
        cmocka_unit_test(a_width_is_the_least_that_fits),
        cmocka_unit_test(the_span_is_found_at_any_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
