/* Zones through files: every column of every zone is read back, through every version, for rows of any depth
 * and length. Zones that do not nest are moved, and counted. */
#include "host/file/file.h"
#include "host/trace/fill.h"
#include "host/trace/tables.h"
#include "tests/file/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define DEPTH 5000u

struct made {
    struct td_trace *trace;
    struct td_fill fill;
    uint32_t srcloc;
    uint64_t random;
    int64_t now_ns;
};

static uint32_t draw(struct made *m, uint32_t below)
{
    m->random = m->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((m->random >> 33) % below);
}

static void begin(struct made *m, uint64_t thread, uint32_t context)
{
    struct td_dict *dict = td_trace_fill_dict(m->trace);
    struct td_track track = {.thread = thread, .context = context};
    track.kind = context ? TD_TRACK_GPU : TD_TRACK_THREAD;
    assert_int_equal(td_fill_begin(&m->fill, m->trace, td_dict_track(dict, &track), NULL), 0);
    m->now_ns = 100;
}

static struct made make(void)
{
    struct td_dict *dict = td_dict_create();
    struct made m = {.trace = td_trace_create(dict), .random = 7};
    m.srcloc = td_dict_srcloc(dict, &(struct td_srcloc){.name = td_dict_cstring(dict, "zone"), .line = 1});
    assert_non_null(m.trace);
    return m;
}

static void tree(struct made *m, unsigned levels)
{
    int64_t start = m->now_ns;
    assert_int_equal(td_fill_enter(&m->fill, start, -1, m->srcloc, 0), 0);
    td_fill_down(&m->fill);
    m->now_ns += draw(m, 1000);
    for (uint32_t i = levels ? draw(m, 4) : 0; i > 0; i--)
        tree(m, levels - 1);
    td_fill_leave(&m->fill, m->now_ns - start);
    m->now_ns += draw(m, 50);
}

static struct td_trace *there_and_back(struct td_trace *trace, const struct td_file_options *options)
{
    struct td_err err = {0};
    struct td_trace *back = NULL;
    char *path = temporary("zones.tracy");
    if (td_file_write(trace, path, options, &err) < 0 || td_file_read(path, &back, &err) < 0)
        fail_msg("%s", err.text);
    unlink(path);
    free(path);
    return back;
}

static uint32_t track_of(const struct td_trace *trace, uint64_t thread, uint32_t context)
{
    uint32_t t = 0;
    while (td_dict_get_track(td_trace_dict(trace), t)->thread != thread ||
           td_dict_get_track(td_trace_dict(trace), t)->context != context)
        assert_true(++t < td_dict_track_count(td_trace_dict(trace)));
    return t;
}

/* All columns but locations, whose numbers are each trace's own. */
static void same_rows(const struct td_trace *a, const struct td_trace *b, uint64_t thread, uint32_t context,
                      int queries)
{
    uint32_t s = track_of(a, thread, context), t = track_of(b, thread, context);
    assert_int_equal(td_trace_rows(a, s), td_trace_rows(b, t));
    assert_int_equal(td_trace_track_zones(a, s), td_trace_track_zones(b, t));
    assert_int_equal(td_trace_track_parents(a, s), td_trace_track_parents(b, t));
    for (uint32_t r = 0; r < td_trace_rows(a, s); r++) {
        const struct td_series *x = td_trace_row(a, s, r), *y = td_trace_row(b, t, r);
        assert_int_equal(td_series_count(x), td_series_count(y));
        assert_int_equal(x->columns, y->columns);
        for (uint64_t i = 0; i < td_series_count(x); i++) {
            for (unsigned c = 0; c < x->columns; c++) {
                int64_t v = td_series_get(x, i, c), w = td_series_get(y, i, c);
                if (c == TD_ZONE_QUERY && !queries)
                    v &= ~(int64_t)TD_ZONE_QUERY_MASK;
                if (c != TD_ZONE_SRCLOC && c != TD_ZONE_EXTRA && v != w)
                    fail_msg("row %u, zone %u, column %u: %lld, %lld", (unsigned)r, (unsigned)i, c,
                             (long long)v, (long long)w);
            }
        }
    }
}

static const uint32_t versions[] = {TD_FILE_VERSION(0, 9, 0),  TD_FILE_VERSION(0, 10, 0),
                                    TD_FILE_VERSION(0, 11, 1), TD_FILE_VERSION(0, 12, 4),
                                    TD_FILE_VERSION(0, 13, 1), TD_FILE_VERSION(0, 14, 0)};

static void rows_of_any_length_come_back_through_every_version(void **state)
{
    struct made m = make();
    for (uint64_t thread = 1; thread <= 3; thread++) {
        begin(&m, thread, 0);
        for (unsigned i = 0; i < (thread == 2 ? 1 : 3000); i++)
            tree(&m, thread == 1 ? 0 : 5);
        td_fill_end(&m.fill);
    }
    assert_int_equal(td_trace_finish(m.trace, NULL), 0);
    for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
        struct td_trace *back = there_and_back(m.trace, &(struct td_file_options){.version = versions[v]});
        assert_int_equal(td_trace_clamped(back), 0);
        for (uint64_t thread = 1; thread <= 3; thread++)
            same_rows(m.trace, back, thread, 0, 1);
        td_trace_destroy(back);
    }
    td_trace_destroy(m.trace);
}

static void deep_recursion_and_what_never_ended_come_back(void **state)
{
    struct made m = make();
    begin(&m, 1, 0);
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned d = 0; d < DEPTH; d++) {
            assert_int_equal(td_fill_enter(&m.fill, m.now_ns++, -1, m.srcloc, 0), 0);
            td_fill_down(&m.fill);
        }
        for (unsigned d = 0; d < DEPTH; d++) /* in the second round none ends */
            td_fill_leave(&m.fill, i ? -1 : 2 * (int64_t)d + 1);
        m.now_ns += DEPTH + 1;
    }
    td_fill_end(&m.fill);
    assert_int_equal(td_trace_finish(m.trace, NULL), 0);
    struct td_trace *back = there_and_back(m.trace, NULL);
    assert_int_equal(td_trace_clamped(back), 0);
    same_rows(m.trace, back, 1, 0, 1);
    td_trace_destroy(back);
    td_trace_destroy(m.trace);
}

static void gpu(struct made *m, int64_t start, int64_t duration, uint32_t query, int64_t cpu,
                int64_t cpu_duration)
{
    struct td_fill_gpu facts = {cpu, cpu_duration, m->fill.track ? 7 : 0, query, 0, 0};
    assert_int_equal(td_fill_enter_gpu(&m->fill, start, duration, m->srcloc, 0, &facts), 0);
}

static void gpu_zones_with_missing_times_come_back(void **state)
{
    struct made m = make();
    struct td_series *contexts = td_trace_fill_table(m.trace, TD_TABLE_GPU_CONTEXT);
    struct td_dict *dict = td_trace_fill_dict(m.trace);
    double period = 1;
    int64_t row[TD_GPU_CONTEXT_COLUMN_COUNT] = {[TD_GPU_CONTEXT_TYPE] = 2};
    memcpy(&row[TD_GPU_CONTEXT_PERIOD], &period, sizeof period);
    assert_int_equal(td_series_append(contexts, row), 0);
    td_dict_track(dict, &(struct td_track){.thread = 7});
    begin(&m, 99, 1);
    gpu(&m, 1000, 300, 11, 900, 20); /* has a child without an end */
    td_fill_down(&m.fill);
    gpu(&m, 1100, 200, 12 | TD_ZONE_NO_END, 910, -1);
    td_fill_leave(&m.fill, 300);
    gpu(&m, 1300, 0, 13 | TD_ZONE_NO_START | TD_ZONE_NO_END, 930, -1);
    gpu(&m, 1300, 50, 14 | TD_ZONE_NO_START, -1, 961); /* only ends are known */
    gpu(&m, 1400, 600, 15 | TD_ZONE_NO_END, 950, 5);   /* until the next one begins */
    gpu(&m, 2000, -1, 16 | TD_ZONE_NO_END, 960, -1);
    td_fill_end(&m.fill);
    assert_int_equal(td_trace_finish(m.trace, NULL), 0);
    for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
        struct td_trace *back = there_and_back(m.trace, &(struct td_file_options){.version = versions[v]});
        assert_int_equal(td_trace_clamped(back), 0);
        same_rows(m.trace, back, 99, 1, versions[v] >= TD_FILE_VERSION(0, 12, 4));
        td_trace_destroy(back);
    }
    td_trace_destroy(m.trace);
}

/* The zones of a row are in order of time, and none begins before its parent, which may end before it. */
static void check_sound(const struct td_trace *trace, uint32_t track)
{
    for (uint32_t r = 0; r < td_trace_rows(trace, track); r++) {
        int64_t low = 0;
        for (size_t i = 0; i < td_trace_row_zones(trace, track, r); i++) {
            struct td_zone zone = td_trace_zone(trace, track, r, i);
            assert_true(zone.start_ns >= low && zone.end_ns >= zone.start_ns);
            assert_true(zone.end_ns != TD_OPEN || i + 1 == td_trace_row_zones(trace, track, r));
            for (size_t c = zone.child_begin; c < zone.child_end; c++) {
                struct td_zone child = td_trace_zone(trace, track, r + 1, c);
                assert_true(child.start_ns >= zone.start_ns);
            }
            low = zone.end_ns;
        }
    }
}

static void unsound_times_are_moved_and_counted(void **state)
{
    for (unsigned round = 0; round < 50; round++) {
        struct made m = make();
        m.random = round;
        begin(&m, 1, 0);
        for (unsigned i = 0; i < 200; i++) {
            unsigned depth = 1 + draw(&m, 4);
            for (unsigned d = 0; d < depth; d++) {
                td_fill_enter(&m.fill, draw(&m, 5000), (int64_t)draw(&m, 500) - 1, m.srcloc, 0);
                if (draw(&m, 3))
                    td_fill_enter(&m.fill, draw(&m, 5000), (int64_t)draw(&m, 500) - draw(&m, 2), m.srcloc, 0);
                td_fill_down(&m.fill);
            }
            while (m.fill.depth)
                td_fill_leave(&m.fill, (int64_t)draw(&m, 3000) - 600);
        }
        td_fill_end(&m.fill);
        assert_int_equal(td_trace_finish(m.trace, NULL), 0);
        struct td_trace *back = there_and_back(m.trace, NULL);
        assert_int_equal(td_trace_track_zones(back, 0), td_trace_track_zones(m.trace, 0));
        assert_true(td_trace_clamped(back) > 0);
        check_sound(back, track_of(back, 1, 0));
        td_trace_destroy(back);
        td_trace_destroy(m.trace);
    }
}

static void call_stacks_of_gpu_zones_do_not_multiply(void **state)
{
    struct made m = make();
    struct td_series *contexts = td_trace_fill_table(m.trace, TD_TABLE_GPU_CONTEXT);
    struct td_series *extras = td_trace_fill_table(m.trace, TD_TABLE_EXTRA);
    int64_t row[TD_GPU_CONTEXT_COLUMN_COUNT] = {[TD_GPU_CONTEXT_TYPE] = 2};
    uint64_t frames[] = {1, 2, 3};
    assert_int_equal(td_series_append(contexts, row), 0);
    int64_t extra[TD_EXTRA_COLUMN_COUNT] = {0};
    if (!td_series_count(extras))
        assert_int_equal(td_series_append(extras, extra), 0);
    extra[TD_EXTRA_STACK] = td_trace_fill_stack(m.trace, frames, 3);
    assert_int_equal(td_series_append(extras, extra), 0);
    uint32_t number = (uint32_t)td_series_count(extras) - 1;
    begin(&m, 5, 1);
    for (int i = 0; i < 10; i++) {
        struct td_fill_gpu facts = {100 * i, 10, 0, 0, 0, 0};
        assert_int_equal(td_fill_enter_gpu(&m.fill, 100 * i, 10, m.srcloc, number, &facts), 0);
    }
    td_fill_end(&m.fill);
    assert_int_equal(td_trace_finish(m.trace, NULL), 0);
    struct td_trace *once = there_and_back(m.trace, NULL), *twice = there_and_back(once, NULL);
    const struct td_series *last = td_trace_table(twice, TD_TABLE_EXTRA);
    assert_int_equal(td_series_count(last), td_series_count(extras));
    struct td_zone zone = td_trace_zone(twice, track_of(twice, 5, 1), 0, 9);
    assert_int_not_equal(zone.stack, 0);
    td_trace_destroy(m.trace);
    td_trace_destroy(once);
    td_trace_destroy(twice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_any_length_come_back_through_every_version),
        cmocka_unit_test(deep_recursion_and_what_never_ended_come_back),
        cmocka_unit_test(gpu_zones_with_missing_times_come_back),
        cmocka_unit_test(unsound_times_are_moved_and_counted),
        cmocka_unit_test(call_stacks_of_gpu_zones_do_not_multiply),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
