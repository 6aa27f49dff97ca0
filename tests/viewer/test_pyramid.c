/* Pyramids: what a range of zones or a cell has is what adding up its zones gives, for rows of any shape,
 * also while they grow. */
#include "host/viewer/timeline/pyramid.h"
#include "tests/query/demo_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPEN_NS 4e9 /* where an open zone is taken to end */

struct row {
    struct td_trace *trace;
    struct td_zone_styles styles;
    struct td_pyramid pyramid;
    struct td_row_reader reader;
    uint32_t srcloc[4];
    uint64_t seed;
    int64_t now_ns;
};

static uint64_t random_below(struct row *r, uint64_t below)
{
    r->seed = r->seed * 6364136223846793005u + 1442695040888963407u;
    return (r->seed >> 33) % below;
}

static void begin_row(struct row *r, uint64_t seed)
{
    *r = (struct row){.trace = td_trace_create(td_dict_create()), .seed = seed};
    struct td_dict *dict = td_trace_fill_dict(r->trace);
    struct td_track track = {.thread = 1};
    const uint32_t flags[4] = {0, 0, TD_SRCLOC_WAIT, TD_SRCLOC_LOST};
    td_dict_track(dict, &track);
    for (uint32_t i = 0; i < 4; i++) {
        char name[8];
        snprintf(name, sizeof name, "s%u", (unsigned)i);
        struct td_srcloc s = {
            .name = td_dict_cstring(dict, name), .flags = flags[i], .color = i == 1 ? 0x4080c0 : 0};
        r->srcloc[i] = td_dict_srcloc(dict, &s);
    }
    td_zone_styles_init(&r->styles, dict);
}

static void end_row(struct row *r)
{
    td_pyramid_free(&r->pyramid);
    td_zone_styles_free(&r->styles);
    td_trace_destroy(r->trace);
}

static void add_event(struct row *r, struct td_event event)
{
    struct td_sink sink = td_trace_sink(r->trace);
    assert_int_equal(sink.events(sink.self, &event, 1, NULL), 0);
}

static void begin_zone(struct row *r)
{
    /* Gaps and lengths of all orders of magnitude, often 0. */
    r->now_ns += (int64_t)random_below(r, UINT64_C(1) << random_below(r, 14)) - 1;
    r->now_ns = r->now_ns < 0 ? 0 : r->now_ns;
    add_event(r, (struct td_event){.kind = TD_EVENT_ZONE_BEGIN,
                                   .time_ns = r->now_ns,
                                   .srcloc = r->srcloc[random_below(r, 4)]});
    if (!random_below(r, 9))
        add_event(r, (struct td_event){.kind = TD_EVENT_ZONE_COLOR, .subject = 0xe0a020});
}

static void end_zone(struct row *r)
{
    r->now_ns += (int64_t)random_below(r, UINT64_C(1) << random_below(r, 16));
    add_event(r, (struct td_event){.kind = TD_EVENT_ZONE_END, .time_ns = r->now_ns});
}

static void read_row(struct row *r)
{
    td_row_reader_begin(&r->reader, r->trace, &r->styles, 0, 0, OPEN_NS);
    assert_int_equal(td_pyramid_extend(&r->pyramid, &r->reader), 0);
}

static double length_of_zone(const struct td_zone *z)
{
    return (z->end_ns == TD_OPEN ? OPEN_NS : (double)z->end_ns) - (double)z->start_ns;
}

static struct td_zone zone_at(const struct row *r, uint64_t i)
{
    return td_trace_zone(r->trace, 0, 0, (size_t)i);
}

static uint32_t flags_of(const struct row *r, const struct td_zone *z)
{
    return td_dict_get_srcloc(td_trace_dict(r->trace), z->srcloc)->flags;
}

static void check_sum(struct row *r, uint64_t first, uint64_t end)
{
    struct td_zone_sum sum = td_pyramid_sum(&r->pyramid, &r->reader, first, end), expected = {0};
    double weight = 0, channel[3] = {0};
    for (uint64_t i = first; i < end; i++) {
        struct td_zone z = zone_at(r, i);
        const uint32_t flags = flags_of(r, &z);
        const int64_t length = (int64_t)length_of_zone(&z);
        td_rgba color = td_color_of_zone(td_trace_dict(r->trace), &z);
        if (flags & TD_SRCLOC_WAIT)
            color = td_color_mix(TD_C(BACK), color, .55f);
        expected.busy_ns += flags & TD_SRCLOC_LOST ? 0 : length;
        expected.lost_ns += flags & TD_SRCLOC_LOST ? length : 0;
        expected.wait_ns += flags & TD_SRCLOC_WAIT ? length : 0;
        expected.flags |= flags;
        expected.srcloc = i == first || expected.srcloc == z.srcloc ? z.srcloc : TD_SUM_MIXED;
        for (int c = 0; c < 3; c++)
            channel[c] += (double)(color >> 8 * c & 255) * (double)(length + 1);
        weight += (double)(length + 1);
    }
    assert_int_equal(sum.start_ns, zone_at(r, first).start_ns);
    assert_int_equal(sum.end_ns, zone_at(r, end - 1).end_ns);
    assert_int_equal(sum.busy_ns, expected.busy_ns);
    assert_int_equal(sum.wait_ns, expected.wait_ns);
    assert_int_equal(sum.lost_ns, expected.lost_ns);
    assert_int_equal(sum.flags, expected.flags);
    assert_int_equal(sum.srcloc, expected.srcloc);
    for (int c = 0; c < 3; c++) /* each level rounds */
        assert_true(fabs((double)(sum.color >> 8 * c & 255) - channel[c] / weight) < 3);
}

static void check_cover(struct row *r, double start, double cell, unsigned cells, uint32_t kinds)
{
    struct td_cover *cover = calloc(cells, sizeof *cover), *expected = calloc(cells, sizeof *expected);
    assert_non_null(cover);
    assert_non_null(expected);
    td_pyramid_cover(&r->pyramid, &r->reader, start, cell, cells, kinds, cover);
    for (uint64_t i = 0; i < r->reader.zones; i++) {
        struct td_zone z = zone_at(r, i);
        const uint32_t flags = flags_of(r, &z);
        if (kinds && !(flags & kinds))
            continue;
        const double from = (double)z.start_ns, to = from + length_of_zone(&z);
        for (unsigned c = 0; c < cells; c++) {
            double low = fmax(from, start + c * cell), high = fmin(to, start + (c + 1) * cell);
            if (high <= low)
                continue;
            expected[c].busy_ns += flags & TD_SRCLOC_LOST ? 0 : high - low;
            expected[c].lost_ns += flags & TD_SRCLOC_LOST ? high - low : 0;
            expected[c].wait_ns += flags & TD_SRCLOC_WAIT ? high - low : 0;
        }
    }
    for (unsigned c = 0; c < cells; c++) {
        assert_true(kinds || fabs(cover[c].busy_ns - expected[c].busy_ns) <= 1e-6 * cell);
        assert_true(fabs(cover[c].wait_ns - expected[c].wait_ns) <= 1e-6 * cell);
        assert_true(fabs(cover[c].lost_ns - expected[c].lost_ns) <= 1e-6 * cell);
    }
    free(cover);
    free(expected);
}

static void check_row(struct row *r)
{
    const uint64_t zones = r->reader.zones;
    for (int i = 0; i < 60; i++) {
        uint64_t first = random_below(r, zones), end = first + 1 + random_below(r, zones - first);
        check_sum(r, first, end);
        double time = (double)r->now_ns * ((double)random_below(r, 1200) / 1000 - .1);
        uint64_t after = td_trace_zone_after(r->trace, 0, 0, (int64_t)floor(time));
        assert_int_equal(td_pyramid_after(&r->pyramid, &r->reader, 0, floor(time)), after);
        assert_int_equal(td_pyramid_after(&r->pyramid, &r->reader, random_below(r, after + 1), floor(time)),
                         after);
    }
    check_sum(r, 0, zones);
    for (double cell = (double)r->now_ns; cell > 100; cell /= 9) {
        check_cover(r, -cell / 3, cell, 3, 0);
        check_cover(r, (double)r->now_ns * .4, cell, 7, 0);
        check_cover(r, (double)r->now_ns * .4, cell, 7, TD_SRCLOC_WAIT | TD_SRCLOC_LOST);
    }
}

static void sums_and_covers_are_those_of_the_zones(void **state)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct row r;
        begin_row(&r, seed * 7919);
        for (uint64_t i = 0, zones = 1 + random_below(&r, 4000); i < zones; i++) {
            begin_zone(&r);
            end_zone(&r);
        }
        if (seed % 3 == 0) /* the last zone has no end */
            begin_zone(&r);
        assert_int_equal(td_trace_finish(r.trace, NULL), 0);
        read_row(&r);
        check_row(&r);
        end_row(&r);
    }
}

static void a_pyramid_grows_with_its_row(void **state)
{
    struct row r;
    begin_row(&r, 4711);
    for (int step = 0; step < 40; step++) {
        for (uint64_t i = random_below(&r, 150); i > 0; i--) {
            begin_zone(&r);
            end_zone(&r);
        }
        /* The zone is open while the pyramid is extended, and has an end the next time. */
        begin_zone(&r);
        read_row(&r);
        if (step % 8 == 7)
            check_row(&r);
        end_zone(&r);
    }
    read_row(&r);
    check_row(&r);
    end_row(&r);
}

static void a_pyramid_takes_a_small_part_of_the_memory_of_its_zones(void **state)
{
    const size_t zones = 200000;
    struct row r = {.trace = dense_trace(zones)};
    td_zone_styles_init(&r.styles, td_trace_dict(r.trace));
    td_row_reader_begin(&r.reader, r.trace, &r.styles, 0, 1, 0);
    assert_int_equal(td_pyramid_extend(&r.pyramid, &r.reader), 0);
    assert_true(td_pyramid_bytes(&r.pyramid) < zones);
    end_row(&r);
}

static void a_row_without_zones_has_nothing(void **state)
{
    struct row r;
    begin_row(&r, 1);
    read_row(&r);
    struct td_cover cover[3] = {{0}};
    td_pyramid_cover(&r.pyramid, &r.reader, 0, 10, 3, 0, cover);
    assert_true(cover[0].busy_ns == 0 && !cover[2].flags);
    assert_int_equal(td_pyramid_after(&r.pyramid, &r.reader, 0, 5), 0);
    end_row(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_covers_are_those_of_the_zones),
        cmocka_unit_test(a_pyramid_grows_with_its_row),
        cmocka_unit_test(a_pyramid_takes_a_small_part_of_the_memory_of_its_zones),
        cmocka_unit_test(a_row_without_zones_has_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
