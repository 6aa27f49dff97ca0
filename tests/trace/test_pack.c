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

static void what_is_lowered_to_a_line_comes_back(void **unused)
{
    int64_t values[MOST], lowered[MOST];
    for (unsigned code = 0; code < 1u << TD_PACK_STEP_BITS; code += 7) {
        for (unsigned i = 0; i < TD_PACK_LINE_ROWS; i++)
            values[i] = (int64_t)any();
        td_pack_lower(lowered, values, TD_PACK_LINE_ROWS, code);
        for (unsigned i = 0; i < TD_PACK_LINE_ROWS; i++)
            assert_true((uint64_t)lowered[i] + td_pack_line(code, i) == (uint64_t)values[i]);
        td_pack_raise(lowered + 5, 5, TD_PACK_LINE_ROWS - 5, code);
        assert_memory_equal(lowered + 5, values + 5, (TD_PACK_LINE_ROWS - 5) * sizeof *values);
    }
    (void)unused;
}

/* A line is wrong by at most 1/2 of a step's last bit in each integer, and 1/16 for rounding down. */
static void the_line_that_is_chosen_comes_close(void **unused)
{
    const unsigned last = TD_PACK_LINE_ROWS - 1;
    for (uint64_t rise = 1; rise < 300000 * last; rise += rise / 3 + 1) {
        const unsigned code = td_pack_step(rise, TD_PACK_LINE_ROWS);
        const uint64_t reached = td_pack_line(code, last);
        const uint64_t off = reached > rise ? reached - rise : rise - reached;
        assert_true(off <= rise / 100 + 17);
    }
    assert_int_equal(td_pack_step(UINT64_MAX, TD_PACK_LINE_ROWS), 0);
    assert_int_equal(td_pack_step(UINT64_C(1) << 40, TD_PACK_LINE_ROWS), 0);
    (void)unused;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_packed_comes_back),
        cmocka_unit_test(a_width_is_the_least_that_fits),
        cmocka_unit_test(the_span_is_found_at_any_place),
        cmocka_unit_test(what_is_lowered_to_a_line_comes_back),
        cmocka_unit_test(the_line_that_is_chosen_comes_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
