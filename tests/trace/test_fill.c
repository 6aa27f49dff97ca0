/* Zones that are filled into rows directly, and the readers of many zones: blocks, walks, statistics. */
#include "host/base/parallel.h"
#include "host/trace/fill.h"
#include "host/trace/walk.h"

#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LOCATIONS = 6 };

static struct td_trace *new_trace(uint32_t tracks, uint32_t contexts)
{
    struct td_dict *dict = td_dict_create();
    struct td_trace *trace = td_trace_create(dict);
    assert_non_null(trace);
    for (uint32_t i = 0; i < tracks + contexts; i++)
        td_dict_track(dict, &(struct td_track){.thread = 10 + i, .context = i < tracks ? 0 : i - tracks + 1});
    for (uint32_t i = 0; i < LOCATIONS; i++)
        td_dict_srcloc(dict, &(struct td_srcloc){.line = i + 1});
    return trace;
}

static void finish(struct td_trace *trace)
{
    struct td_err err = {0};
    assert_int_equal(td_trace_finish(trace, &err), 0);
}

static struct td_fill fill_begin(struct td_trace *trace, uint32_t track)
{
    struct td_fill fill;
    struct td_err err = {0};
    assert_int_equal(td_fill_begin(&fill, trace, track, &err), 0);
    return fill;
}

static void expect(const struct td_trace *trace, uint32_t row, size_t index, int64_t start, int64_t end,
                   size_t children)
{
    struct td_zone zone = td_trace_zone(trace, 0, row, index);
    assert_int_equal(zone.start_ns, start);
    assert_int_equal(zone.end_ns, end);
    assert_int_equal(zone.child_end - zone.child_begin, children);
}

static void zones_are_there_as_soon_as_they_are_entered(void **state)
{
    struct td_trace *trace = new_trace(1, 0);
    struct td_fill fill = fill_begin(trace, 0);
    assert_int_equal(td_trace_rows(trace, 0), 0);
    td_fill_enter(&fill, 10, -1, 1, 0);
    td_fill_down(&fill);
    expect(trace, 0, 0, 10, TD_OPEN, 0);
    td_fill_enter(&fill, 11, 4, 2, 0);
    td_fill_enter(&fill, 20, -1, 2, 0);
    td_fill_down(&fill);
    expect(trace, 0, 0, 10, TD_OPEN, 2);
    expect(trace, 1, 0, 11, 15, 0);
    expect(trace, 1, 1, 20, TD_OPEN, 0);
    td_fill_leave(&fill, 5);
    td_fill_leave(&fill, 90);
    expect(trace, 0, 0, 10, 100, 2);
    expect(trace, 1, 1, 20, 25, 0);
    td_fill_enter(&fill, 200, 1, 3, 0);
    td_fill_end(&fill);
    finish(trace);
    expect(trace, 0, 0, 10, 100, 2);
    expect(trace, 0, 1, 200, 201, 0);
    assert_int_equal(td_trace_track_zones(trace, 0), 4);
    assert_int_equal(td_trace_track_parents(trace, 0), 1);
    assert_int_equal(td_trace_get_info(trace)->last_time_ns, 201);
    td_trace_destroy(trace);
}

static void what_is_open_when_filling_ends_stays_unfinished(void **state)
{
    struct td_trace *trace = new_trace(1, 0);
    struct td_fill fill = fill_begin(trace, 0);
    for (int i = 0; i < 100; i++) {
        td_fill_enter(&fill, i, -1, 1, 0);
        td_fill_down(&fill);
    }
    td_fill_end(&fill);
    finish(trace);
    assert_int_equal(td_trace_rows(trace, 0), 100);
    assert_int_equal(td_trace_track_parents(trace, 0), 99);
    for (uint32_t row = 0; row < 100; row++)
        expect(trace, row, 0, row, TD_OPEN, row < 99);
    assert_int_equal(td_trace_get_info(trace)->last_time_ns, 99);
    td_trace_destroy(trace);
}

static void self_times_are_not_negative_where_a_child_lasts_longer_than_its_zone(void **state)
{
    struct td_trace *trace = new_trace(1, 0);
    struct td_fill fill = fill_begin(trace, 0);
    const struct td_stat *stats;
    td_fill_enter(&fill, 10, -1, 1, 0);
    td_fill_down(&fill);
    td_fill_enter(&fill, 15, 30, 2, 0);
    td_fill_leave(&fill, 10);
    td_fill_enter(&fill, 100, -1, 1, 0);
    td_fill_down(&fill);
    td_fill_enter(&fill, 101, 4, 2, 0);
    td_fill_leave(&fill, 10);
    td_fill_end(&fill);
    finish(trace);
    assert_int_equal(td_trace_stats(trace, &stats), 2);
    assert_int_equal(stats[0].self_ns, 6);
    assert_int_equal(stats[0].self_min_ns, 0);
    assert_int_equal(stats[0].self_max_ns, 6);
    assert_int_equal(stats[1].self_ns, 34);
    td_trace_destroy(trace);
}

static void tracks_of_contexts_have_what_the_host_did(void **state)
{
    struct td_trace *trace = new_trace(0, 1);
    struct td_fill fill = fill_begin(trace, 0);
    struct td_fill_gpu gpu = {.cpu_start_ns = 5, .cpu_duration_ns = 3, .thread = UINT64_MAX, .query = 7};
    td_fill_enter_gpu(&fill, 100, -1, 1, 0, &gpu);
    td_fill_down(&fill);
    gpu.query = 8;
    gpu.cpu_duration_ns = 2;
    td_fill_enter_gpu(&fill, 110, 10, 2, 0, &gpu);
    td_fill_leave(&fill, 50);
    td_fill_end(&fill);
    finish(trace);
    const struct td_series *outer = td_trace_row(trace, 0, 0), *inner = td_trace_row(trace, 0, 1);
    assert_int_equal(outer->columns, TD_ZONE_GPU_COLUMNS);
    assert_int_equal(td_series_get(outer, 0, TD_ZONE_CPU_DURATION), 3);
    assert_int_equal(td_series_get(inner, 0, TD_ZONE_CPU_DURATION), 2);
    assert_int_equal(td_series_get(inner, 0, TD_ZONE_QUERY), 8);
    assert_true((uint64_t)td_series_get(outer, 0, TD_ZONE_THREAD) == UINT64_MAX);
    assert_null(td_trace_row(trace, 0, 2));
    assert_null(td_trace_row(trace, 1, 0));
    const struct td_stat *stats;
    assert_int_equal(td_trace_stats(trace, &stats), 0);
    assert_int_equal(td_trace_gpu_stats(trace, &stats), 2);
    assert_int_equal(stats[0].total_ns, 50);
    td_trace_destroy(trace);
}

static void a_track_that_does_not_exist_is_refused(void **state)
{
    struct td_trace *trace = new_trace(1, 0);
    struct td_fill fill;
    struct td_err err = {0};
    assert_int_equal(td_fill_begin(&fill, trace, 1, &err), TD_E_USAGE);
    assert_int_equal(err.code, TD_E_USAGE);
    td_fill_end(&fill);
    td_trace_destroy(trace);
}

struct random {
    uint64_t x;
};

static uint64_t any(struct random *r, uint64_t below)
{
    r->x = r->x * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (r->x >> 33) % below;
}

/* Adds nested zones down to a depth. Returns the time at which they end. */
static int64_t fill_level(struct td_fill *fill, struct random *r, int64_t time, int depth, int64_t scale)
{
    for (uint64_t i = any(r, 5) + (depth == 0); i-- > 0;) {
        uint32_t location = (uint32_t)any(r, LOCATIONS + 1);
        time += (int64_t)any(r, 50);
        if (depth == 12 || any(r, 3) == 0) {
            int64_t length = (int64_t)any(r, 4) ? (int64_t)any(r, (uint64_t)scale) : 0;
            td_fill_enter(fill, time, length, location, 0);
            time += length;
            continue;
        }
        int64_t start = time;
        td_fill_enter(fill, start, -1, location, 0);
        td_fill_down(fill);
        time = fill_level(fill, r, start + 1, depth + 1, scale) + 1;
        td_fill_leave(fill, any(r, 200) ? time - start : -1);
    }
    return time;
}

static struct td_trace *random_trace(uint64_t seed, uint32_t tracks, int rounds, int64_t scale)
{
    struct td_trace *trace = new_trace(tracks, 0);
    struct random r = {seed};
    for (uint32_t t = 0; t < tracks; t++) {
        struct td_fill fill = fill_begin(trace, t);
        int64_t time = 0;
        for (int i = 0; i < rounds; i++)
            time = fill_level(&fill, &r, time, 0, scale);
        td_fill_end(&fill);
    }
    finish(trace);
    return trace;
}

static void blocks_and_walks_show_the_zones_that_are_read_one_by_one(void **state)
{
    struct td_trace *trace = random_trace(1, 1, 800, 1000);
    struct td_zones block;
    uint64_t zones = 0, steps = 0;
    for (uint32_t row = 0; row < td_trace_rows(trace, 0); row++) {
        for (uint64_t at = 0; td_trace_zones_read(trace, 0, row, at, TD_ZONES_ALL, &block);
             at += block.count) {
            for (uint32_t i = 0; i < block.count; i++, zones++) {
                struct td_zone zone = td_trace_zone(trace, 0, row, at + i);
                assert_int_equal(block.column[TD_ZONE_START][i], zone.start_ns);
                assert_int_equal(block.column[TD_ZONE_CHILD_END][i], zone.child_end);
                assert_int_equal(block.column[TD_ZONE_SRCLOC][i], zone.srcloc);
            }
        }
    }
    assert_int_equal(zones, td_trace_track_zones(trace, 0));
    assert_int_equal(td_trace_zones_read(trace, 0, 0, 0, 1u << TD_ZONE_QUERY, &block), 0);
    struct td_walk walk;
    struct td_step step;
    assert_int_equal(td_walk_begin(&walk, trace, 0), 0);
    for (; td_walk_next(&walk, &step); steps++) {
        struct td_zone zone = td_trace_zone(trace, 0, step.row, step.index);
        assert_memory_equal(&zone, &step.zone, sizeof zone);
    }
    td_walk_end(&walk);
    assert_int_equal(steps, 2 * zones);
    td_trace_destroy(trace);
}

/* Reference sums: depth first, one zone after the other. */
static void sum_up(const struct td_trace *trace, uint32_t tracks, struct td_stat *stats)
{
    for (uint32_t t = 0; t < tracks; t++) {
        struct td_walk walk;
        struct td_step step;
        assert_int_equal(td_walk_begin(&walk, trace, t), 0);
        while (td_walk_next(&walk, &step)) {
            struct td_stat *s = &stats[step.zone.srcloc];
            int64_t length = step.zone.end_ns - step.zone.start_ns, self = length;
            if (step.leaves)
                continue;
            s->open += step.zone.end_ns == TD_OPEN;
            s->count += step.zone.end_ns != TD_OPEN;
            if (step.zone.end_ns == TD_OPEN || !length)
                continue;
            for (size_t c = step.zone.child_begin; c < step.zone.child_end; c++) {
                struct td_zone child = td_trace_zone(trace, t, step.row + 1, c);
                self -= child.end_ns == TD_OPEN ? 0 : child.end_ns - child.start_ns;
            }
            s->min_ns = s->timed && s->min_ns < length ? s->min_ns : length;
            s->self_min_ns = s->timed && s->self_min_ns < self ? s->self_min_ns : self;
            s->self_max_ns = s->timed && s->self_max_ns > self ? s->self_max_ns : self;
            s->max_ns = s->max_ns > length ? s->max_ns : length;
            s->timed++;
            s->total_ns += length;
            s->self_ns += self;
            s->sum_squares += (double)length * (double)length;
        }
        td_walk_end(&walk);
    }
}

static void check_stats(const struct td_trace *trace, uint32_t tracks)
{
    struct td_stat expected[LOCATIONS + 1] = {0};
    const struct td_stat *stats;
    size_t count = td_trace_stats(trace, &stats);
    sum_up(trace, tracks, expected);
    assert_int_equal(count, LOCATIONS + 1);
    for (size_t i = 0; i < count; i++) {
        struct td_stat got = stats[i];
        expected[i].srcloc = (uint32_t)i;
        got.mean_ns = got.std_ns = 0;
        assert_memory_equal(&got, &expected[i], sizeof got);
    }
}

/* On one processor and on all: sums of squares that fit doubles, and sums that are rounded. */
static void statistics_are_those_of_a_plain_sum_for_any_number_of_threads(void **state)
{
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    for (int scale = 0; scale < 2; scale++) {
        for (int single = 0; single < 2; single++) {
            struct td_trace *trace = random_trace(7, 5, 400, scale ? 200000000 : 500);
            CPU_ZERO(&one);
            CPU_SET(sched_getcpu(), &one);
            if (single)
                sched_setaffinity(0, sizeof one, &one);
            check_stats(trace, 5);
            sched_setaffinity(0, sizeof before, &before);
            td_trace_destroy(trace);
        }
    }
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void percentiles_are_near_the_exact_ones(void **state)
{
    enum { ZONES = 20000 };
    static const double fractions[] = {0, 0.1, 0.5, 0.9, 0.99, 1};
    static int64_t lengths[2][ZONES];
    struct td_trace *trace = new_trace(1, 0);
    struct td_fill fill = fill_begin(trace, 0);
    struct random r = {3};
    int64_t time = 0, values[3 * 6];
    for (int i = 0; i < ZONES; i++) {
        lengths[0][i] = (int64_t)any(&r, UINT64_C(2) << any(&r, 30)) + 1;
        lengths[1][i] = 777777;
        for (int k = 0; k < 2; k++) {
            td_fill_enter(&fill, time, lengths[k][i], (uint32_t)k + 1, 0);
            time += lengths[k][i];
        }
    }
    td_fill_enter(&fill, time, 0, 3, 0); /* no timed zone */
    td_fill_end(&fill);
    finish(trace);
    static const uint32_t each[] = {0, 1, 2}, reversed[] = {TD_TRACE_NO_GROUP, 1, 0};
    assert_int_equal(td_trace_percentiles(trace, each, 3, fractions, 6, values), 0);
    qsort(lengths[0], ZONES, sizeof lengths[0][0], by_value);
    for (int k = 0; k < 6; k++) {
        int rank = (int)ceil(fractions[k] * ZONES) - 1;
        double exact = (double)lengths[0][rank < 0 ? 0 : rank];
        assert_true(fabs((double)values[k] - exact) <= exact * 0.0005 + (exact < 4096 ? 0 : 1));
        assert_int_equal(values[6 + k], 777777);
        assert_int_equal(values[12 + k], 0);
    }
    assert_int_equal(td_trace_percentiles(trace, reversed, 2, fractions, 6, values), 0);
    for (int k = 0; k < 6; k++) {
        assert_int_equal(values[k], 0);
        assert_int_equal(values[6 + k], 777777);
    }
    static const uint32_t together[] = {0, 0, 0};
    assert_int_equal(td_trace_percentiles(trace, together, 1, fractions, 6, values), 0);
    qsort(lengths, 2 * ZONES, sizeof lengths[0][0], by_value);
    for (int k = 0; k < 6; k++) {
        int rank = (int)ceil(fractions[k] * 2 * ZONES) - 1;
        int at = rank < 0 ? 0 : rank;
        double exact = (double)lengths[at / ZONES][at % ZONES];
        assert_true(fabs((double)values[k] - exact) <= exact * 0.0005 + (exact < 4096 ? 0 : 1));
    }
    td_trace_destroy(trace);
}

static int fill_one(void *self, size_t item, unsigned worker)
{
    struct td_fill fill = fill_begin(self, (uint32_t)item);
    struct random r = {item + 1};
    int64_t time = 0;
    for (int i = 0; i < 50; i++)
        time = fill_level(&fill, &r, time, 0, 100);
    td_fill_end(&fill);
    return 0;
}

static void different_tracks_are_filled_by_different_threads(void **state)
{
    enum { TRACKS = 200 };
    struct td_trace *together = new_trace(TRACKS, 0), *alone = new_trace(TRACKS, 0);
    assert_int_equal(td_parallel(4, TRACKS, fill_one, together), 0);
    assert_int_equal(td_parallel(1, TRACKS, fill_one, alone), 0);
    finish(together);
    finish(alone);
    for (uint32_t t = 0; t < TRACKS; t++) {
        assert_int_equal(td_trace_track_zones(together, t), td_trace_track_zones(alone, t));
        assert_int_equal(td_trace_track_parents(together, t), td_trace_track_parents(alone, t));
    }
    td_trace_destroy(together);
    td_trace_destroy(alone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zones_are_there_as_soon_as_they_are_entered),
        cmocka_unit_test(what_is_open_when_filling_ends_stays_unfinished),
        cmocka_unit_test(self_times_are_not_negative_where_a_child_lasts_longer_than_its_zone),
        cmocka_unit_test(tracks_of_contexts_have_what_the_host_did),
        cmocka_unit_test(a_track_that_does_not_exist_is_refused),
        cmocka_unit_test(blocks_and_walks_show_the_zones_that_are_read_one_by_one),
        cmocka_unit_test(statistics_are_those_of_a_plain_sum_for_any_number_of_threads),
        cmocka_unit_test(percentiles_are_near_the_exact_ones),
        cmocka_unit_test(different_tracks_are_filled_by_different_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
