/* The figures of the panel Zones are those of a plain walk over the zones, and its filter does what its page says. */
#include "host/base/wrap.h"
#include "host/trace/fill.h"
#include "host/trace/walk.h"
#include "host/query/sums/location_figures.h"
#include "host/query/table/text_filter.h"
#include "tests/query/demo_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct lengths { /* of a location */
    int64_t *of;
    size_t count, zero;
    unsigned open;
};

/* The lengths of all zones that count, by location; the caller frees them. */
static struct lengths *walk_lengths(const struct td_figures_wanted *w)
{
    const struct td_dict *dict = td_trace_dict(w->trace);
    struct lengths *all = calloc(td_dict_srcloc_count(dict) + 1, sizeof *all);
    for (uint32_t t = 0; t < td_dict_track_count(dict); t++) {
        struct td_walk walk;
        struct td_step step;
        if (!td_lane_chosen(w->lanes, t))
            continue;
        assert_int_equal(td_walk_begin(&walk, w->trace, t), 0);
        while (td_walk_next(&walk, &step)) {
            struct lengths *l = &all[step.zone.srcloc];
            if (step.leaves) {
                l->open--;
                continue;
            }
            const bool inner = l->open++ > 0;
            if (step.zone.end_ns == TD_OPEN || step.zone.start_ns < w->from_ns ||
                step.zone.end_ns > w->to_ns || (inner && w->timing == TD_TIMING_OUTER))
                continue;
            int64_t length = step.zone.end_ns - step.zone.start_ns;
            if (!length) {
                l->zero++;
                continue;
            }
            for (uint64_t c = step.zone.child_begin; w->timing == TD_TIMING_SELF && c < step.zone.child_end;
                 c++) {
                const struct td_zone child = td_trace_zone(w->trace, t, step.row + 1, c);
                length -= child.end_ns == TD_OPEN ? 0 : child.end_ns - child.start_ns;
            }
            l->of = realloc(l->of, (l->count + 1) * sizeof *l->of);
            l->of[l->count++] = length;
        }
        td_walk_end(&walk);
    }
    return all;
}

static int compare_lengths(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void check_percentile(const struct lengths *l, double fraction, int64_t value)
{
    size_t rank = (size_t)fmax(ceil(fraction * (double)l->count) - 1, 0);
    const double exact = (double)l->of[rank];
    assert_true(fabs((double)value - exact) <= (exact < 4096 ? 0.5 : exact * 0.0005));
}

static void check_location(const struct lengths *l, const struct td_figures *f)
{
    int64_t total = 0;
    double squares = 0;
    assert_int_equal(f->timed, l->count);
    assert_int_equal(f->count, l->count + l->zero);
    if (!l->count)
        return;
    qsort(l->of, l->count, sizeof *l->of, compare_lengths);
    for (size_t i = 0; i < l->count; i++) {
        total = td_wrap_add(total, l->of[i]);
        squares += (double)l->of[i] * (double)l->of[i];
    }
    assert_int_equal(f->total_ns, total);
    assert_int_equal(f->min_ns, l->of[0]);
    assert_int_equal(f->max_ns, l->of[l->count - 1]);
    assert_true(fabs(f->squares - squares) <= squares * 1e-9);
    if (l->of[0] < 0) /* of zones whose children are longer, which percentiles count as 0 */
        return;
    check_percentile(l, .5, f->median_ns);
    check_percentile(l, .9, f->p90_ns);
    check_percentile(l, .99, f->p99_ns);
}

static void check_trace(const struct td_trace *trace, int64_t from_ns, int64_t to_ns,
                        const struct td_lane_choice *lanes)
{
    const uint32_t locations = td_dict_srcloc_count(td_trace_dict(trace));
    for (int timing = 0; timing < TD_TIMINGS; timing++) {
        const struct td_figures_wanted wanted = {trace, from_ns, to_ns, (enum td_timing)timing, lanes};
        struct td_location_figures figures;
        struct lengths *all = walk_lengths(&wanted);
        assert_int_equal(td_location_figures_make(&figures, &wanted, NULL), 0);
        assert_int_equal(figures.locations, locations);
        for (uint32_t s = 0; s < locations; s++) {
            check_location(&all[s], &figures.of[s]);
            free(all[s].of);
        }
        free(all);
        td_location_figures_free(&figures);
    }
}

static void figures_of_a_trace_are_those_of_a_walk(void **state)
{
    struct td_trace *trace = demo_trace(2);
    check_trace(trace, INT64_MIN, INT64_MAX, NULL);
    check_trace(trace, 100000, 900000, NULL);
    uint8_t passes[] = {1, 0, 1, 0};
    const struct td_lane_choice lanes = {passes, sizeof passes};
    check_trace(trace, INT64_MIN, INT64_MAX, &lanes);
    td_trace_destroy(trace);
}

/* A zone that calls itself twice, and another one between: lengths 100, 80, 60, 40 within one another. */
static void a_zone_within_itself_counts_once(void **state)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_dict *dict = td_trace_fill_dict(trace);
    struct td_sink sink = td_trace_sink(trace);
    const struct td_srcloc recursive = {.name = td_dict_cstring(dict, "recursive"), .line = 1},
                           between = {.name = td_dict_cstring(dict, "between"), .line = 2};
    const struct td_track thread = {.thread = 1, .name = td_dict_cstring(dict, "T")};
    const uint32_t r = td_dict_srcloc(dict, &recursive), b = td_dict_srcloc(dict, &between);
    const uint32_t track = td_dict_track(dict, &thread), of[] = {r, b, r, r};
    for (int i = 3; i >= 0; i--) {
        const struct td_event zone = {.kind = TD_EVENT_ZONE,
                                      .track = track,
                                      .time_ns = 10 * i,
                                      .value.end_ns = 100 - 10 * i,
                                      .srcloc = of[i]};
        sink.events(sink.self, &zone, 1, NULL);
    }
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    struct td_location_figures figures;
    struct td_figures_wanted wanted = {trace, INT64_MIN, INT64_MAX, TD_TIMING_OUTER, NULL};
    assert_int_equal(td_location_figures_make(&figures, &wanted, NULL), 0);
    assert_int_equal(figures.of[r].count, 1);
    assert_int_equal(figures.of[r].total_ns, 100);
    assert_int_equal(figures.of[b].total_ns, 80);
    td_location_figures_free(&figures);
    wanted.timing = TD_TIMING_SELF;
    assert_int_equal(td_location_figures_make(&figures, &wanted, NULL), 0);
    assert_int_equal(figures.of[r].count, 3);
    assert_int_equal(figures.of[r].total_ns, 20 + 20 + 40);
    assert_int_equal(figures.of[r].max_ns, 40);
    td_location_figures_free(&figures);
    check_trace(trace, INT64_MIN, INT64_MAX, NULL);
    check_trace(trace, 5, 95, NULL);
    td_trace_destroy(trace);
}

static void terms_include_and_exclude(void **state)
{
    assert_true(td_text_passes("", "anything", NULL));
    assert_true(td_text_passes(" , ,", "anything", NULL));
    assert_true(td_text_passes("draw", "DrawCircle", NULL));
    assert_false(td_text_passes("draw", "load", NULL));
    assert_true(td_text_passes("warn, info", "some info", NULL));
    assert_true(td_text_passes("warn,info", "a Warning", NULL));
    assert_false(td_text_passes("warn, info", "debug", NULL));
    assert_true(td_text_passes("-debug", "info", NULL));
    assert_false(td_text_passes("-debug", "a DEBUG line", NULL));
    assert_false(td_text_passes("line, -debug", "a debug line", NULL));
    assert_true(td_text_passes("line, -debug", "a line", NULL));
    assert_true(td_text_passes("main.c", "work", "src/main.c"));
    assert_false(td_text_passes("work, -main.c", "work", "src/main.c"));
    assert_true(td_text_passes("two words", "in two words", NULL));
    assert_false(td_text_passes("two words", "words two", NULL));
    assert_true(td_text_passes("\"f(int, int)\", -shadow", "void f(int, int)", NULL));
    assert_false(td_text_passes("\"f(int, int)\"", "f(int)", NULL));
    assert_false(td_text_passes("-\"a, b\"", "f<a, b>", NULL));
    assert_true(td_text_passes("\"-O2\"", "gcc -O2", NULL));
    assert_true(td_text_passes("one \" quote", "with one \" quote", NULL));
    static const char *const names[] = {"f(int, int)", "-O2", " padded ", "plain", "half \" open"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char filter[64];
        td_text_of_name(names[i], filter, sizeof filter);
        assert_true(td_text_is_name(filter, names[i]) && td_text_passes(filter, names[i], NULL));
        assert_false(td_text_is_name(filter, "other"));
    }
    assert_false(td_text_is_name("plain, other", "plain") || td_text_is_name("-plain", "plain"));
    char text[400];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    assert_true(td_text_passes(text, text, NULL));
    assert_true(td_text_passes("-", "anything", NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_of_a_trace_are_those_of_a_walk),
        cmocka_unit_test(a_zone_within_itself_counts_once),
        cmocka_unit_test(terms_include_and_exclude),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
