/* Levels of detail: the number of drawn blocks depends on pixels, not on zones. */
#include "host/viewer/lod.h"
#include "tests/viewer/demo_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MANY 10000000

static size_t count_blocks(const struct td_trace *trace, uint32_t row, double start, double end, double cell)
{
    struct td_lod lod;
    struct td_lod_block block;
    size_t blocks = 0;
    td_lod_begin(&lod, trace, 0, row, start, end, cell);
    while (td_lod_next(&lod, &block))
        blocks++;
    return blocks;
}

static void blocks_are_bounded_by_pixels_for_ten_million_zones(void **state)
{
    struct td_trace *trace = dense_trace(MANY);
    assert_non_null(trace);
    const double all = (double)MANY * 100;
    const int cells = 700; /* of two pixels */
    for (double span = all; span > 1000; span /= 7) {
        for (int place = 0; place < 5; place++) {
            double start = (all - span) * place / 4;
            size_t blocks = count_blocks(trace, 1, start, start + span, span / cells);
            assert_in_range(blocks, 1, 2 * cells + 2);
        }
    }
    assert_int_equal(count_blocks(trace, 0, 0, all, all / cells), 1);
    td_trace_destroy(trace);
}

/* Every visible zone is in exactly one block, in order. */
static void check_cover(const struct td_trace *trace, uint32_t track, uint32_t row, double start, double end,
                        double cell)
{
    struct td_lod lod;
    struct td_lod_block block;
    size_t expected = td_trace_zone_after(trace, track, row, (int64_t)floor(start));
    td_lod_begin(&lod, trace, track, row, start, end, cell);
    while (td_lod_next(&lod, &block)) {
        assert_int_equal(block.first, expected);
        assert_true(block.count > 0);
        expected += block.count;
        assert_int_equal(block.start_ns, td_trace_zone(trace, track, row, block.first).start_ns);
        assert_int_equal(block.end_ns, td_trace_zone(trace, track, row, expected - 1).end_ns);
        if (block.count > 1) {
            assert_true((double)(block.end_ns - block.start_ns) <= cell);
            for (size_t i = block.first + 1; i < expected; i++) {
                struct td_zone z = td_trace_zone(trace, track, row, i);
                assert_true((double)(z.end_ns - z.start_ns) <= cell);
            }
        }
    }
    if (expected < td_trace_row_zones(trace, track, row))
        assert_true((double)td_trace_zone(trace, track, row, expected).start_ns >= end);
}

static void every_zone_is_in_exactly_one_block(void **state)
{
    struct td_trace *trace = demo_trace(2);
    double last = (double)td_trace_get_info(trace)->last_time_ns;
    if (last <= 0)
        last = 6e6;
    for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(trace)); t++)
        for (uint32_t r = 0; r < td_trace_rows(trace, t); r++)
            for (double cell = 10; cell < 1e7; cell *= 3.7) {
                check_cover(trace, t, r, -5, last + 10, cell);
                check_cover(trace, t, r, last * .31, last * .42, cell);
            }
    td_trace_destroy(trace);
}

/* While panning, blocks keep their borders: only those at the edges may differ. */
static void blocks_do_not_flicker_while_panning(void **state)
{
    struct td_trace *trace = dense_trace(200000);
    const double cell = 4321.5;
    struct td_lod a, b;
    struct td_lod_block x, y;
    td_lod_begin(&a, trace, 0, 1, 1e6, 9e6, cell);
    td_lod_begin(&b, trace, 0, 1, 1e6 + 1234, 9e6, cell);
    td_lod_next(&a, &x);
    td_lod_next(&b, &y);
    assert_true(td_lod_next(&b, &y)); /* the first is cut by the edge */
    while (x.first < y.first)
        assert_true(td_lod_next(&a, &x));
    for (;;) {
        assert_int_equal(x.first, y.first);
        int more = td_lod_next(&b, &y);
        assert_int_equal(td_lod_next(&a, &x), more);
        if (!more)
            break;
    }
    td_trace_destroy(trace);
}

static void searching_from_a_place_finds_what_searching_from_the_start_finds(void **state)
{
    struct td_trace *trace = dense_trace(5000);
    size_t count = td_trace_row_zones(trace, 0, 1);
    for (int64_t t = 0; t < 500200; t += 37) {
        size_t expected = td_trace_zone_after(trace, 0, 1, t);
        assert_int_equal(td_lod_after(trace, 0, 1, 0, count, (double)t), expected);
        assert_int_equal(td_lod_after(trace, 0, 1, expected / 2, count, (double)t), expected);
        assert_int_equal(td_lod_after(trace, 0, 1, expected, count, (double)t), expected);
    }
    td_trace_destroy(trace);
}

static void density_of_regular_zones_is_their_share_of_the_time(void **state)
{
    struct td_trace *trace = dense_trace(100000);
    struct td_lod_block block = {100, 5000, 0, 0};
    block.start_ns = td_trace_zone(trace, 0, 1, 100).start_ns;
    block.end_ns = td_trace_zone(trace, 0, 1, 5099).end_ns;
    struct td_lod_samples samples = td_lod_sample_block(trace, 0, 1, &block);
    assert_true(fabsf(samples.coverage - .6f) < .01f);
    float sum = 0;
    for (int i = 0; i < samples.count; i++) {
        assert_in_range(samples.zones[i], 100, 5099);
        sum += samples.weight[i];
    }
    assert_true(fabsf(sum - 1) < 1e-4f);
    td_trace_destroy(trace);
}

/* Compared with the sum over all zones. */
static void density_of_few_zones_is_exact(void **state)
{
    struct td_trace *trace = demo_trace(1);
    uint32_t tracks = td_dict_track_count(td_trace_dict(trace));
    enum { CELLS = 300 };
    const double start = 100000, cell = 17000;
    for (uint32_t t = 0; t < tracks; t++) {
        float busy[CELLS] = {0}, waits[CELLS] = {0}, expected[CELLS] = {0};
        td_lod_density(trace, t, start, cell, CELLS, busy, waits);
        for (size_t i = 0; i < td_trace_row_zones(trace, t, 0); i++) {
            struct td_zone z = td_trace_zone(trace, t, 0, i);
            for (int c = 0; c < CELLS; c++) {
                double low = fmax(start + c * cell, (double)z.start_ns);
                double high = fmin(start + (c + 1) * cell, (double)z.end_ns);
                if (high > low)
                    expected[c] += (float)((high - low) / cell);
            }
        }
        for (int c = 0; c < CELLS; c++) {
            assert_true(fabsf(busy[c] - expected[c]) < .002f);
            assert_in_range((int)(waits[c] * 1000), 0, 1000);
        }
    }
    td_trace_destroy(trace);
}

static void open_zones_and_zones_of_no_length_are_seen(void **state)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_dict *dict = td_trace_fill_dict(trace);
    struct td_track track = {.thread = 1};
    struct td_srcloc srcloc = {.name = td_dict_cstring(dict, "z")};
    uint32_t t = td_dict_track(dict, &track), s = td_dict_srcloc(dict, &srcloc);
    struct td_event events[] = {
        {.kind = TD_EVENT_ZONE_BEGIN, .track = t, .time_ns = 100, .srcloc = s},
        {.kind = TD_EVENT_ZONE_END, .track = t, .time_ns = 100},
        {.kind = TD_EVENT_ZONE_BEGIN, .track = t, .time_ns = 200, .srcloc = s},
    };
    struct td_sink sink = td_trace_sink(trace);
    assert_int_equal(sink.events(sink.self, events, 3, NULL), 0);
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    assert_int_equal(count_blocks(trace, 0, 0, 1000, 50), 2);
    assert_int_equal(count_blocks(trace, 0, 150, 1000, 50), 1);
    assert_int_equal(count_blocks(trace, 0, 5000, 9000, 50), 1);
    td_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_bounded_by_pixels_for_ten_million_zones),
        cmocka_unit_test(every_zone_is_in_exactly_one_block),
        cmocka_unit_test(blocks_do_not_flicker_while_panning),
        cmocka_unit_test(searching_from_a_place_finds_what_searching_from_the_start_finds),
        cmocka_unit_test(density_of_regular_zones_is_their_share_of_the_time),
        cmocka_unit_test(density_of_few_zones_is_exact),
        cmocka_unit_test(open_zones_and_zones_of_no_length_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
