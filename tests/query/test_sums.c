/* Sums over a range, against a calculation zone by zone. */
#include "host/query/sums/sums.h"
#include "tests/query/demo_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static int64_t end_of(const struct td_zone *zone, int64_t now)
{
    return zone->end_ns == TD_OPEN ? (now > zone->start_ns ? now : zone->start_ns) : zone->end_ns;
}

static int64_t self_of(const struct td_trace *trace, uint32_t track, uint32_t row, const struct td_zone *zone)
{
    int64_t self = zone->end_ns - zone->start_ns;
    for (size_t i = zone->child_begin; i < zone->child_end; i++) {
        struct td_zone child = td_trace_zone(trace, track, row + 1, i);
        self -= child.end_ns == TD_OPEN ? 0 : child.end_ns - child.start_ns;
    }
    return self;
}

static void check_track(const struct td_sums *sums, const struct td_trace *trace, uint32_t track, int64_t now)
{
    const struct td_dict *dict = td_trace_dict(trace);
    uint32_t locations = td_dict_srcloc_count(dict);
    struct td_sum *expected = calloc(locations, sizeof *expected);
    struct td_lane_sum lane = {0};
    assert_non_null(expected);
    for (uint32_t r = 0; r < td_trace_rows(trace, track); r++)
        for (size_t i = 0; i < td_trace_row_zones(trace, track, r); i++) {
            struct td_zone z = td_trace_zone(trace, track, r, i);
            int64_t end = end_of(&z, now), length = end - z.start_ns;
            if (end <= sums->from_ns || z.start_ns >= sums->to_ns)
                continue;
            int64_t from = z.start_ns > sums->from_ns ? z.start_ns : sums->from_ns;
            int64_t cut = (end < sums->to_ns ? end : sums->to_ns) - from;
            uint32_t flags = td_dict_get_srcloc(dict, z.srcloc)->flags;
            bool lost = flags & TD_SRCLOC_LOST;
            lane.zones++;
            lane.lost += lost;
            lane.lost_ns += lost ? cut : 0;
            lane.wait_ns += !lost && flags & TD_SRCLOC_WAIT ? cut : 0;
            lane.busy_ns += !lost && r == 0 ? cut : 0;
            struct td_sum *e = &expected[z.srcloc];
            if (z.start_ns < sums->from_ns || (z.end_ns != TD_OPEN && end > sums->to_ns))
                continue;
            if (z.end_ns == TD_OPEN) {
                e->open++;
                continue;
            }
            e->count++;
            if (length == 0)
                continue;
            e->min_ns = e->timed && e->min_ns < length ? e->min_ns : length;
            e->max_ns = e->max_ns > length ? e->max_ns : length;
            e->timed++;
            e->total_ns += length;
            e->outer_ns += r == 0 ? length : 0;
            e->self_ns += self_of(trace, track, r, &z);
        }
    const struct td_lane_sum *got = &sums->lane[track];
    assert_true(got->zones == lane.zones && got->lost == lane.lost && got->lost_ns == lane.lost_ns);
    assert_true(got->wait_ns == lane.wait_ns && got->busy_ns == lane.busy_ns);
    for (size_t i = 0; i < sums->count; i++) {
        const struct td_sum *s = &sums->sum[i];
        struct td_sum *e = &expected[s->srcloc];
        if (s->track != track)
            continue;
        assert_true(s->count == e->count && s->timed == e->timed && s->open == e->open);
        assert_true(s->total_ns == e->total_ns && s->self_ns == e->self_ns && s->max_ns == e->max_ns);
        assert_true(!s->timed || s->min_ns == e->min_ns);
        assert_true(s->outer_ns == e->outer_ns && td_ref_valid(s->longest) == (s->timed > 0));
        if (s->timed) {
            struct td_zone z = td_trace_zone(trace, track, s->longest.row, s->longest.index);
            assert_true(s->longest.track == track && z.srcloc == s->srcloc);
            assert_true(z.end_ns - z.start_ns == s->max_ns);
        }
        e->count = e->open = 0;
    }
    for (uint32_t s = 0; s < locations; s++)
        assert_true(expected[s].count + expected[s].open == 0); /* none is missing */
    free(expected);
}

static void check(const struct td_trace *trace, int64_t from, int64_t to)
{
    struct td_sums sums;
    int64_t now = td_trace_get_info(trace)->last_time_ns;
    assert_int_equal(td_sums_make(&sums, trace, from, to, now, NULL, NULL), 0);
    for (uint32_t t = 0; t < sums.tracks; t++)
        check_track(&sums, trace, t, now);
    td_sums_free(&sums);
}

static void sums_equal_those_zone_by_zone(void **state)
{
    struct td_trace *trace = demo_trace(2);
    assert_non_null(trace);
    int64_t last = 6000000;
    check(trace, INT64_MIN, INT64_MAX);
    srand(1);
    for (int i = 0; i < 40; i++) {
        int64_t from = rand() % last;
        check(trace, from, from + rand() % (i % 2 ? 20000 : 3000000));
    }
    td_trace_destroy(trace);
}

static void tracks_that_are_left_out_have_no_sums(void **state)
{
    struct td_trace *trace = demo_trace(1);
    struct td_sums sums;
    uint8_t tracks[4096] = {0};
    uint32_t count = td_dict_track_count(td_trace_dict(trace));
    assert_in_range(count, 3, sizeof tracks);
    tracks[2] = 1;
    const struct td_lane_choice lanes = {tracks, count};
    assert_int_equal(td_sums_make(&sums, trace, INT64_MIN, INT64_MAX, 0, &lanes, NULL), 0);
    assert_true(sums.count > 0);
    for (size_t i = 0; i < sums.count; i++)
        assert_int_equal(sums.sum[i].track, 2);
    assert_int_equal(sums.lane[1].zones, 0);
    td_sums_free(&sums);
    td_trace_destroy(trace);
}

static void many_parts_give_the_same_sums(void **state)
{
    struct td_trace *trace = dense_trace(200000);
    struct td_sums sums;
    assert_int_equal(td_sums_make(&sums, trace, 1000, 200000 * 100 - 1000, 0, NULL, NULL), 0);
    struct td_sum all = {.min_ns = INT64_MAX};
    for (size_t i = 0; i < sums.count; i++)
        td_sum_add(&all, &sums.sum[i]);
    assert_int_equal(all.count, 200000 - 20);
    assert_int_equal(all.total_ns, (200000 - 20) * 60);
    assert_true(all.squares == (200000 - 20) * 60. * 60);
    td_sums_free(&sums);
    td_trace_destroy(trace);
}

static void a_cancelled_job_gives_none(void **state)
{
    struct td_trace *trace = demo_trace(1);
    struct td_sums sums;
    struct td_job job = {.cancelled = 1};
    assert_int_equal(td_sums_make(&sums, trace, INT64_MIN, INT64_MAX, 0, NULL, &job), TD_E_STOPPED);
    assert_null(sums.sum);
    td_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_equal_those_zone_by_zone),
        cmocka_unit_test(tracks_that_are_left_out_have_no_sums),
        cmocka_unit_test(many_parts_give_the_same_sums),
        cmocka_unit_test(a_cancelled_job_gives_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
