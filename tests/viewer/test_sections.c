/* Sections and runs of fibers: sections of a lane do not overlap, and there are no more lanes than sections
 * overlap; a fiber's runs are those of its threads; the timeline has rows for both. */
#include "host/trace/fill.h"
#include "host/trace/tables.h"
#include "tests/viewer/mouse.h"

#include <string.h>

static void add_section(struct td_trace *trace, int64_t category, int64_t start, int64_t end,
                        const char *text)
{
    int64_t row[TD_SECTION_COLUMN_COUNT] = {
        [TD_SECTION_CATEGORY] = category, [TD_SECTION_START] = start, [TD_SECTION_END] = end};
    row[TD_SECTION_TEXT] = td_dict_cstring(td_trace_fill_dict(trace), text);
    assert_int_equal(td_series_append(td_trace_fill_table(trace, TD_TABLE_SECTION), row), 0);
}

static void name_category(struct td_trace *trace, int64_t category, const char *text)
{
    int64_t row[TD_SECTION_CATEGORY_COLUMN_COUNT] = {[TD_SECTION_CATEGORY_CATEGORY] = category,
                                                     [TD_SECTION_CATEGORY_TEXT] =
                                                         td_dict_cstring(td_trace_fill_dict(trace), text)};
    assert_int_equal(td_series_append(td_trace_fill_table(trace, TD_TABLE_SECTION_CATEGORY), row), 0);
}

/* The greatest number of sections of a category at one time. */
static uint32_t most_at_once(const struct td_sections *s, const struct td_section_category *c)
{
    uint32_t most = 0;
    for (size_t i = c->first; i < c->first + c->count; i++) {
        uint32_t now = 0;
        for (size_t k = c->first; k < c->first + c->count; k++)
            now += s->items[k].start_ns <= s->items[i].start_ns && s->items[k].end_ns > s->items[i].start_ns;
        most = now > most ? now : most;
    }
    return most;
}

static void sections_have_as_few_lanes_as_can_be(void **state)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_sections s;
    uint64_t seed = 5;
    (void)state;
    for (int i = 0; i < 400; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const int64_t start = (int64_t)(seed >> 40) % 100000, length = 1 + (int64_t)(seed >> 20) % 3000;
        add_section(trace, i % 3 * 7, start, i % 97 ? start + length : -(i + 1), "x");
    }
    name_category(trace, 7, "seven");
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    assert_int_equal(td_sections_build(&s, trace), 0);
    assert_int_equal(s.count, 400);
    assert_int_equal(s.category_count, 3);
    for (uint32_t c = 0; c < 3; c++) {
        const struct td_section_category *category = &s.categories[c];
        size_t seen = 0, end;
        assert_int_equal(category->number, 7 * c);
        assert_string_equal(td_dict_text(td_trace_dict(trace), category->text), c == 1 ? "seven" : "");
        assert_int_equal(category->lanes, most_at_once(&s, category));
        for (uint32_t lane = 0; lane < category->lanes; lane++) {
            for (size_t i = td_sections_after(&s, c, lane, -1, &end); i < end; i++, seen++) {
                assert_int_equal(s.items[i].lane, lane);
                if (i + 1 < end)
                    assert_true(s.items[i].end_ns <= s.items[i + 1].start_ns);
                /* The search finds it until it has ended. */
                size_t last;
                const double before = s.items[i].end_ns == TD_OPEN ? 9e18 : (double)s.items[i].end_ns - 1;
                assert_int_equal(td_sections_after(&s, c, lane, before, &last), i);
            }
        }
        assert_int_equal(seen, category->count);
    }
    td_sections_free(&s);
    td_trace_destroy(trace);
}

static void add_run(struct td_trace *trace, uint64_t list, int64_t start, int64_t end, int64_t thread)
{
    int64_t row[TD_SWITCH_COLUMN_COUNT] = {[TD_SWITCH_WAKEUP] = start,
                                           [TD_SWITCH_START] = start,
                                           [TD_SWITCH_END] = end,
                                           [TD_SWITCH_REASON] = 99,
                                           [TD_SWITCH_FIBER_THREAD] = thread};
    assert_int_equal(td_series_append(td_trace_fill_list(trace, TD_TABLE_SWITCH, list), row), 0);
}

/* Threads 21 and 22, fibers A and B: both run on 21 and 22 in turns. A zone on thread 21 and in A. */
static struct td_trace *fiber_trace(void)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_dict *dict = td_trace_fill_dict(trace);
    struct td_sink sink = td_trace_sink(trace);
    static const char *const names[] = {"one", "two", "A", "B"};
    const struct td_srcloc place = {.name = td_dict_cstring(dict, "work")};
    const uint32_t srcloc = td_dict_srcloc(dict, &place);
    for (uint32_t t = 0; t < 4; t++) {
        struct td_track track = {.thread = t < 2 ? 21 + t : (UINT64_C(1) << 32) + t,
                                 .name = td_dict_cstring(dict, names[t]),
                                 .fiber = t >= 2};
        const struct td_event zone[2] = {
            {.kind = TD_EVENT_ZONE_BEGIN,
             .track = td_dict_track(dict, &track),
             .time_ns = 1000,
             .srcloc = srcloc},
            {.kind = TD_EVENT_ZONE_END, .track = td_dict_track(dict, &track), .time_ns = 100000}};
        if (t % 2 == 0)
            assert_int_equal(sink.events(sink.self, zone, 2, NULL), 0);
        int64_t row[TD_SWITCH_THREAD_COLUMN_COUNT] = {[TD_SWITCH_THREAD_THREAD] = (int64_t)track.thread};
        if (t >= 2)
            assert_int_equal(td_series_append(td_trace_fill_table(trace, TD_TABLE_SWITCH_THREAD), row), 0);
    }
    add_run(trace, 0, 1000, 10000, 21);
    add_run(trace, 0, 20000, 30000, 22);
    add_run(trace, 0, 40000, -1, 21); /* still runs */
    add_run(trace, 1, 10000, 20000, 21);
    add_run(trace, 1, 30000, 40000, 99); /* a thread without a track */
    add_section(trace, 0, 2000, 90000, "outer");
    add_section(trace, 0, 30000, 60000, "inner");
    add_section(trace, 4, 30000, -1, "open");
    name_category(trace, 4, "loads");
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    return trace;
}

static void fibers_run_on_the_threads_that_ran_them(void **state)
{
    struct td_trace *trace = fiber_trace();
    struct td_fiber_runs runs;
    (void)state;
    assert_int_equal(td_fiber_runs_build(&runs, trace), 0);
    const struct td_track_runs *a = td_fiber_runs_of(&runs, 2), *one = td_fiber_runs_of(&runs, 0),
                               *two = td_fiber_runs_of(&runs, 1), *b = td_fiber_runs_of(&runs, 3);
    assert_true(a && b && one && two && !td_fiber_runs_of(&runs, 4));
    assert_int_equal(a->count, 3);
    assert_true(a->runs[1].other == 1 && a->runs[2].other == 0 && a->runs[2].end_ns == TD_OPEN);
    assert_int_equal(one->count, 3);
    assert_true(one->runs[0].other == 2 && one->runs[1].other == 3 && one->runs[2].other == 2);
    assert_int_equal(two->count, 1);
    assert_true(b->runs[1].other == TD_NO_FIBER_TRACK);
    assert_int_equal(td_fiber_runs_after(one, 0, 9999), 0);
    assert_int_equal(td_fiber_runs_after(one, 0, 10000), 1);
    assert_int_equal(td_fiber_runs_after(two, 0, 30000), 1);
    td_fiber_runs_free(&runs);
    td_trace_destroy(trace);
}

static int setup(void **state)
{
    static struct fixture f;
    return open_window(state, &f, fiber_trace(), 900, 420);
}

static const struct td_node *node_of(const struct fixture *f, const char *label)
{
    for (int i = 0; i < f->view.layout.count; i++)
        if (!strcmp(f->view.layout.nodes[i].label, label))
            return &f->view.layout.nodes[i];
    fail_msg("no row %s", label);
    return NULL;
}

static void the_timeline_has_rows_for_both(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    const struct td_view *view = &f->view;
    const struct td_metrics *m = &view->metrics;
    assert_int_equal(node_of(f, "Sections")->rows, 2);
    assert_int_equal(node_of(f, "loads")->rows, 1);
    assert_true(node_of(f, "Sections")->height == 2 * m->row + m->pad);
    assert_true(node_of(f, "A")->has_runs && node_of(f, "one")->has_runs);
    assert_true(node_of(f, "A")->height == m->runs + m->row + 2 * m->pad);
    settle(f);
    /* The text is not on all of them: most of the box has its colour. */
    assert_true(count_color(f, td_color_of_name("outer")) > 400 * 10);
    assert_true(count_color(f, td_color_of_name("open")) > 350 * 10);
    const td_rgba one = td_color_of_row(td_dict_get_track(view->model.dict, 0), 0);
    /* Runs of A and B on thread one: 9, 10 and 60 of 99 us. */
    const double pixels = 1 / view->area.ns_per_pixel, high = m->runs - 2;
    const double expected = (9000 + 10000 + 60000) * pixels * high;
    assert_true(fabs((double)count_color(f, one) - expected) < expected * .03 + 40);
}

static void the_mouse_names_the_thread_of_a_run_and_the_section(void **state)
{
    struct fixture *f = *state;
    if (!f || !has_mouse(f))
        return;
    struct td_view *view = &f->view;
    const struct td_node *a = node_of(f, "A"), *loads = node_of(f, "loads");
    move_mouse(f, td_view_x(view, 25000), td_view_node_y(view, a) + view->metrics.pad + 2);
    assert_true(view->hover.span.used && view->hover.span.from_ns == 20000 &&
                view->hover.span.to_ns == 30000);
    move_mouse(f, td_view_x(view, 35000), td_view_node_y(view, a) + view->metrics.pad + 2);
    assert_true(view->hover.span.from_ns == 30000 && view->hover.span.to_ns == 40000); /* it has yielded */
    move_mouse(f, td_view_x(view, 70000), td_view_node_y(view, loads) + 8);
    assert_true(view->hover.span.from_ns == 30000 && view->hover.span.to_ns == (double)view->model.last_ns);
    move_mouse(f, td_view_x(view, 20000), td_view_node_y(view, loads) + 8);
    assert_false(view->hover.span.used);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_have_as_few_lanes_as_can_be),
        cmocka_unit_test(fibers_run_on_the_threads_that_ran_them),
        cmocka_unit_test(the_timeline_has_rows_for_both),
        cmocka_unit_test(the_mouse_names_the_thread_of_a_run_and_the_section),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
