/* Zones of a GPU context that overlap keep their times, their order and their nesting: in the model, where they are on
 * several lines, and in files of every version. */
#include "host/file/file.h"
#include "host/trace/copy.h"
#include "host/trace/fill.h"
#include "host/trace/gpu_lines.h"
#include "host/trace/gpu_order.h"
#include "host/trace/tables.h"
#include "tests/file/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define THREAD 77

struct sent {
    struct td_gpu_zone *zones;
    size_t count, capacity;
    uint64_t random;
};

static uint64_t draw(struct sent *s, uint64_t below)
{
    s->random = s->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (s->random >> 33) % below;
}

static void add(struct sent *s, uint32_t depth, int64_t start_ns, int64_t end_ns)
{
    if (s->count == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 64;
        s->zones = realloc(s->zones, s->capacity * sizeof *s->zones);
        assert_non_null(s->zones);
    }
    s->zones[s->count] = (struct td_gpu_zone){.depth = depth,
                                              .start_ns = start_ns,
                                              .end_ns = end_ns,
                                              .cpu_start_ns = 10 * (int64_t)s->count,
                                              .cpu_duration_ns = 5,
                                              .query = (uint32_t)s->count & 0xffff};
    s->count++;
}

/* ---- the model ---- */

static struct td_trace *model_of(struct sent *s)
{
    struct td_dict *dict = td_dict_create();
    struct td_trace *trace = td_trace_create(dict);
    const int64_t context[TD_GPU_CONTEXT_COLUMN_COUNT] = {[TD_GPU_CONTEXT_TYPE] = 2};
    const uint32_t srcloc = td_dict_srcloc(dict, &(struct td_srcloc){.name = td_dict_cstring(dict, "zone")});
    const uint32_t track =
        td_dict_track(dict, &(struct td_track){.thread = THREAD, .kind = TD_TRACK_GPU, .context = 1});
    assert_int_equal(td_series_append(td_trace_fill_table(trace, TD_TABLE_GPU_CONTEXT), context), 0);
    struct td_gpu_lines *lines = td_gpu_lines_create(trace, track);
    assert_non_null(lines);
    for (size_t i = 0; i < s->count; i++) {
        s->zones[i].srcloc = srcloc;
        assert_int_equal(td_gpu_lines_add(lines, &s->zones[i]), 0);
    }
    assert_int_equal(td_gpu_lines_finish(lines, 0), 0);
    td_gpu_lines_destroy(lines);
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    return trace;
}

/* The zones of each row are in order of time, and within their parents. */
static void check_lines(const struct td_trace *trace)
{
    for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(trace)); t++)
        for (uint32_t r = 0; r < td_trace_rows(trace, t); r++) {
            int64_t low = 0;
            for (size_t i = 0; i < td_trace_row_zones(trace, t, r); i++) {
                struct td_zone zone = td_trace_zone(trace, t, r, i);
                assert_true(zone.start_ns >= low && zone.end_ns >= zone.start_ns);
                assert_true(zone.end_ns != TD_OPEN || i + 1 == td_trace_row_zones(trace, t, r));
                for (size_t c = zone.child_begin; c < zone.child_end; c++) {
                    struct td_zone child = td_trace_zone(trace, t, r + 1, c);
                    assert_true(child.start_ns >= zone.start_ns && child.end_ns <= zone.end_ns);
                }
                low = zone.end_ns;
            }
        }
}

static void begin_order(struct td_gpu_order *order, const struct td_trace *trace)
{
    td_gpu_order_begin(order, trace);
    for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(trace)); t++)
        if (td_dict_get_track(td_trace_dict(trace), t)->context)
            assert_int_equal(td_gpu_order_add(order, t), 0);
}

static struct td_gpu_zone zone_at(const struct td_trace *trace, const struct td_gpu_step *step)
{
    int64_t v[TD_SERIES_COLUMNS];
    td_series_row(td_trace_row(trace, step->track, step->row), step->index, v);
    const int64_t query = v[TD_ZONE_QUERY], back = query >> TD_ZONE_BACK_SHIFT;
    return (struct td_gpu_zone){.depth = step->depth,
                                .start_ns = query & TD_ZONE_NO_START ? TD_UNKNOWN_NS : v[TD_ZONE_START],
                                .end_ns = query & TD_ZONE_NO_END ? TD_UNKNOWN_NS
                                          : back                 ? v[TD_ZONE_START] - back
                                                                 : v[TD_ZONE_START] + v[TD_ZONE_DURATION],
                                .cpu_start_ns = v[TD_ZONE_CPU_START],
                                .cpu_duration_ns = v[TD_ZONE_CPU_DURATION],
                                .query = (uint32_t)query & TD_ZONE_QUERY_MASK};
}

static void check_zones(const struct td_trace *trace, const struct sent *s, bool queries)
{
    struct td_gpu_order order;
    struct td_gpu_step step;
    begin_order(&order, trace);
    for (size_t i = 0; i < s->count; i++) {
        assert_int_equal(td_gpu_order_next(&order, &step), 1);
        const struct td_gpu_zone zone = zone_at(trace, &step), *sent = &s->zones[i];
        if (zone.depth != sent->depth || zone.start_ns != sent->start_ns || zone.end_ns != sent->end_ns ||
            zone.cpu_start_ns != sent->cpu_start_ns || zone.cpu_duration_ns != sent->cpu_duration_ns ||
            (queries && zone.query != sent->query))
            fail_msg("zone %zu at depth %u: %lld .. %lld; sent at depth %u: %lld .. %lld", i, zone.depth,
                     (long long)zone.start_ns, (long long)zone.end_ns, sent->depth, (long long)sent->start_ns,
                     (long long)sent->end_ns);
    }
    assert_int_equal(td_gpu_order_next(&order, &step), 0);
    td_gpu_order_end(&order);
    assert_int_equal(td_trace_clamped(trace), 0);
}

/* ---- files ---- */

static struct td_trace *there_and_back(struct td_trace *trace, uint32_t version)
{
    struct td_err err = {0};
    struct td_trace *back = NULL;
    char *path = temporary("lines.tracy");
    if (td_file_write(trace, path, &(struct td_file_options){.version = version}, &err) < 0 ||
        td_file_read(path, &back, &err) < 0)
        fail_msg("%s", err.text);
    unlink(path);
    free(path);
    return back;
}

static void check(struct sent *s)
{
    static const uint32_t versions[] = {TD_FILE_VERSION(0, 9, 0), TD_FILE_VERSION(0, 11, 1),
                                        TD_FILE_VERSION(0, 14, 0)};
    struct td_trace *trace = model_of(s);
    check_lines(trace);
    check_zones(trace, s, true);
    for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
        struct td_trace *back = there_and_back(trace, versions[v]);
        check_zones(back, s, versions[v] >= TD_FILE_VERSION(0, 12, 4));
        td_trace_destroy(back);
    }
    td_trace_destroy(trace);
    free(s->zones);
}

/* ---- tests ---- */

static void zones_that_overlap_are_on_lines_of_their_own(void **state)
{
    struct sent s = {0};
    add(&s, 0, 1, 9);
    add(&s, 0, 2, 3);
    add(&s, 0, 4, 20);
    struct td_trace *trace = model_of(&s);
    assert_int_equal(td_dict_track_count(td_trace_dict(trace)), 2);
    assert_int_equal(td_trace_row_zones(trace, 0, 0), 1);
    assert_int_equal(td_trace_row_zones(trace, 1, 0), 2);
    const struct td_track *line = td_dict_get_track(td_trace_dict(trace), 1);
    assert_int_equal(line->line, 1);
    assert_int_equal(line->thread, THREAD);
    td_trace_destroy(trace);
    check(&s);
}

static void nested_zones_stay_on_one_line(void **state)
{
    struct sent s = {0};
    for (int64_t i = 0; i < 3000; i++) {
        add(&s, 0, 100 * i, 100 * i + 100);
        add(&s, 1, 100 * i, 100 * i + 40);
        add(&s, 2, 100 * i + 10, 100 * i + 20);
        add(&s, 1, 100 * i + 40, 100 * i + 100);
    }
    struct td_trace *trace = model_of(&s);
    assert_int_equal(td_dict_track_count(td_trace_dict(trace)), 1);
    assert_int_equal(td_trace_rows(trace, 0), 3);
    td_trace_destroy(trace);
    check(&s);
}

static void an_inner_zone_may_end_after_the_outer_one_or_begin_before_it(void **state)
{
    struct sent s = {0};
    add(&s, 0, 100, 200);
    add(&s, 1, 150, 250); /* ends later */
    add(&s, 2, 160, 170);
    add(&s, 1, 50, 120); /* begins earlier */
    add(&s, 1, 180, 190);
    add(&s, 0, 210, 220);
    check(&s);
}

static void missing_and_reversed_times_are_kept(void **state)
{
    struct sent s = {0};
    add(&s, 0, 100, -1);
    add(&s, 1, 110, 400);
    add(&s, 0, -1, -1);
    add(&s, 0, 90, 80); /* the end is before the start */
    add(&s, 1, 95, 99);
    add(&s, 0, 50, -1);
    add(&s, 1, -1, -1);
    add(&s, 2, 60, 65);
    add(&s, 0, 120, 120);
    check(&s);
}

/* There is room for 9.7 hours. */
static void an_end_days_before_its_start_stays_before_it(void **state)
{
    struct sent s = {0};
    add(&s, 0, INT64_C(1) << 50, 3);
    struct td_trace *trace = model_of(&s);
    const int64_t query = td_series_get(td_trace_row(trace, 0, 0), 0, TD_ZONE_QUERY);
    assert_true(query >> TD_ZONE_BACK_SHIFT == INT64_MAX >> TD_ZONE_BACK_SHIFT);
    td_trace_destroy(trace);
    free(s.zones);
}

static void any_order_of_starts_needs_as_many_lines_as_run_at_once(void **state)
{
    struct sent s = {0};
    for (int64_t i = 20000; i-- > 0;)
        add(&s, 0, 10 * i, 10 * i + 15); /* backwards, each overlaps the next */
    struct td_trace *trace = model_of(&s);
    assert_true(td_dict_track_count(td_trace_dict(trace)) < 70);
    td_trace_destroy(trace);
    check(&s);
}

static void a_zone_with_more_children_than_wait_has_its_end(void **state)
{
    struct sent s = {0};
    add(&s, 0, 1000, 2000000);
    for (int64_t i = 0; i < 150000; i++)
        add(&s, 1, 1000 + 10 * i, 1000 + 10 * i + (i % 1000 ? 10 : 35));
    add(&s, 0, 2000000, 2000001);
    check(&s);
}

static void random_zones_come_back(void **state)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct sent s = {.random = seed};
        const uint64_t most = 1 + draw(&s, 400), span = 1 + draw(&s, 3000), deep = 1 + draw(&s, 6);
        const uint64_t odd = draw(&s, 3) ? 0 : 10;
        uint32_t depth = 0;
        for (uint64_t i = 0; i < most; i++) {
            const int64_t start = (int64_t)(i * 20 + draw(&s, span));
            int64_t end = start + (int64_t)draw(&s, 1 + span / 2);
            if (odd && !draw(&s, odd))
                end = draw(&s, 2) ? -1 : start / 2;
            const bool has_no_start = odd && !draw(&s, odd);
            add(&s, depth, has_no_start ? -1 : start, has_no_start ? -1 : end);
            depth = (uint32_t)draw(&s, (depth + 1 < deep ? depth + 1 : deep) + 1);
        }
        check(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zones_that_overlap_are_on_lines_of_their_own),
        cmocka_unit_test(nested_zones_stay_on_one_line),
        cmocka_unit_test(an_inner_zone_may_end_after_the_outer_one_or_begin_before_it),
        cmocka_unit_test(missing_and_reversed_times_are_kept),
        cmocka_unit_test(an_end_days_before_its_start_stays_before_it),
        cmocka_unit_test(any_order_of_starts_needs_as_many_lines_as_run_at_once),
        cmocka_unit_test(a_zone_with_more_children_than_wait_has_its_end),
        cmocka_unit_test(random_zones_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
