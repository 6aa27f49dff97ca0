/* The panel with the instances of a name, in a picture without a window. Skipped where there is no OpenGL. */
#include "host/viewer/panels/instances.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/view.h"
#include "tests/query/demo_trace.h"
#include "tests/viewer/fixture.h"
#include "tests/viewer/settled_keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int setup(void **state)
{
    static struct fixture f;
    return open_offscreen(state, &f, demo_trace(3), 1200, 560);
}

static struct instances *panel(struct fixture *f)
{
    return td_panel_state(&f->view, TD_PANEL_INSTANCES);
}

static void open_with(struct fixture *f, const char *name)
{
    if (!td_panel_is_open(&f->view, TD_PANEL_INSTANCES))
        press(f, 'i');
    td_view_search(&f->view, name);
    td_view_next_match(&f->view, true);
    settle(f);
    f->view.panels.focus = TD_PANEL_INSTANCES;
    panel(f)->ranged = false;
    panel(f)->group = SIZE_MAX;
    settle(f);
}

static const struct td_stat *stat_of(struct fixture *f, const char *name)
{
    const struct td_stat *stats;
    size_t count = td_trace_stats(f->trace, &stats);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(td_dict_zone_name(f->view.model.dict, stats[i].srcloc), name))
            return &stats[i];
    return NULL;
}

static void it_shows_the_zones_of_the_selected_name(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    static const char *const names[] = {"multiply", "tilize", "launch"};
    for (int i = 0; i < 3; i++) {
        open_with(f, names[i]);
        struct instances *s = panel(f);
        const struct td_stat *stat = stat_of(f, names[i]);
        assert_string_equal(s->set.shown_as.name, names[i]);
        assert_int_equal(s->set.shown.count, stat->timed);
        assert_int_equal(s->set.shown.total_ns, stat->total_ns);
        assert_int_equal(s->list.count, stat->timed);
        uint64_t in_groups = 0, in_bins = 0;
        for (size_t g = 0; g < s->group_list.rows.count; g++)
            in_groups += s->groups.group[td_table_row(&s->group_list, g)].count;
        for (int b = 0; b < s->plot.bins.count; b++)
            in_bins += s->plot.bins.number[b];
        assert_int_equal(in_groups, stat->timed);
        assert_int_equal(in_bins, stat->timed);
    }
}

static void rare_lengths_at_the_ends_can_be_left_out(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    open_with(f, "multiply");
    const struct instances *s = panel(f);
    const int64_t least = s->plot.bins.low, most = s->plot.bins.high;
    press(f, '8');
    const struct td_bins *b = &s->plot.bins;
    uint64_t in_bins = 0;
    for (int i = 0; i < b->count; i++)
        in_bins += b->number[i];
    assert_true(b->low > least || b->high < most);
    assert_int_equal(b->before, td_instances_below(&s->set.shown, b->low));
    assert_int_equal(b->before + in_bins, td_instances_below(&s->set.shown, b->high + 1));
    for (int i = 1; i < TD_PLOT_LEASTS; i++)
        press(f, '8');
    assert_true(b->low == least && b->high == most);
    const double mode = td_instances_mode(s);
    uint64_t fullest = 0;
    for (int i = 0; i < b->count; i++)
        if (mode >= (double)b->edge[i] && mode < (double)b->edge[i + 1])
            fullest = b->number[i];
    assert_int_equal(fullest, b->most);
}

static void arrows_step_through_the_zones_without_zooming(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    open_with(f, "multiply");
    td_camera_set_range(&view->camera, 0, 300000, true);
    settle(f);
    double span = view->camera.to_end_ns - view->camera.to_start_ns;
    int64_t length = INT64_MAX;
    press(f, TD_KEY_HOME);
    for (size_t i = 0; i < 30; i++) {
        struct td_zone zone = td_view_zone(view, view->selection.zone);
        assert_string_equal(td_zone_label(view->model.dict, &zone), "multiply");
        assert_true(zone.end_ns - zone.start_ns <= length);
        length = zone.end_ns - zone.start_ns;
        assert_true(fabs(view->camera.to_end_ns - view->camera.to_start_ns - span) < 1);
        assert_true(view->camera.to_start_ns <= (double)zone.start_ns + 1 &&
                    view->camera.to_end_ns >= (double)zone.end_ns - 1);
        press(f, TD_KEY_DOWN);
    }
    press(f, TD_KEY_ENTER);
    assert_true(view->camera.to_end_ns - view->camera.to_start_ns < span);
}

static void a_range_of_lengths_and_a_group_filter_the_list(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    open_with(f, "multiply");
    struct instances *s = panel(f);
    const size_t all = s->list.count;
    s->ranged = true;
    s->from_ns = td_instances_length(&s->set.shown, all / 4);
    s->to_ns = td_instances_length(&s->set.shown, all / 2);
    settle(f);
    assert_true(s->list.count > 0 && s->list.count < all);
    assert_int_equal(s->list.count, td_instances_below(&s->set.shown, s->to_ns + 1) -
                                        td_instances_below(&s->set.shown, s->from_ns));
    const size_t ranged = s->list.count;
    press_with(f, (struct td_key_press){.key = TD_KEY_HOME, .shift = true});
    assert_int_equal(s->group, td_table_row(&s->group_list, 0));
    assert_int_equal(s->list.count, s->groups.group[s->group].count);
    assert_true(s->list.count < ranged);
    press(f, '0');
    assert_int_equal(s->list.count, all);
}

static void keys_change_groups_scales_and_lengths(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    open_with(f, "launch");
    struct instances *s = panel(f);
    for (int i = 0; i < TD_INSTANCE_BY_COUNT; i++) {
        enum td_instance_by before = s->grouping;
        press(f, '6');
        assert_int_equal(s->grouping, (before + 1) % TD_INSTANCE_BY_COUNT);
        assert_int_equal(s->groups.grouping, s->grouping);
        assert_true(s->group_list.rows.count > 0);
    }
    int64_t whole = s->set.shown.total_ns;
    press(f, '5');
    assert_true(s->set.shown.total_ns == stat_of(f, "launch")->self_ns && s->set.shown.total_ns < whole);
    press(f, '5');
    assert_int_equal(s->set.shown.total_ns, whole);
    for (int key = '1'; key <= '4'; key++) {
        press(f, key);
        assert_true(s->plot.linear_time == (key == '1') && s->plot.linear_counts == (key == '2'));
        assert_true(s->plot.times == (key == '3') && s->plot.no_line == (key == '4'));
        press(f, key);
    }
}

static void the_range_of_time_limits_the_zones(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    open_with(f, "multiply");
    const size_t all = panel(f)->set.shown.count;
    view->selection.measured = true;
    view->selection.measure_from_ns = 500000;
    view->selection.measure_to_ns = 1500000;
    view->selection.limit = TD_LIMIT_MARKED;
    settle(f);
    const struct td_instances *set = &panel(f)->set.shown;
    assert_true(set->count > 0 && set->count < all);
    for (size_t i = 0; i < set->count; i++) {
        struct td_zone zone = td_view_zone(view, td_instances_ref(set, i));
        assert_true(zone.start_ns >= 500000 && zone.end_ns <= 1500000);
    }
    view->selection.limit = TD_LIMIT_NONE;
    view->selection.measured = false;
    settle(f);
    assert_int_equal(panel(f)->set.shown.count, all);
}

static void any_size_of_the_panel_is_drawn(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    open_with(f, "multiply");
    struct td_view *view = &f->view;
    for (float size = 30; size < 800; size *= 2) {
        view->panels.region[TD_REGION_BOTTOM].size = size;
        settle(f);
        td_ui_begin(f->ui);
        td_ui_region_begin(f->ui, "narrow", 0, 0, size, size / 2, 0, TD_LAYER_BASE);
        td_panel_instances.draw(view, &(struct td_rect){0, 0, size, size / 2});
        td_ui_region_end(f->ui);
        td_ui_end(f->ui);
    }
    assert_true(td_ui_triangles(f->ui) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_shows_the_zones_of_the_selected_name),
        cmocka_unit_test(rare_lengths_at_the_ends_can_be_left_out),
        cmocka_unit_test(arrows_step_through_the_zones_without_zooming),
        cmocka_unit_test(a_range_of_lengths_and_a_group_filter_the_list),
        cmocka_unit_test(keys_change_groups_scales_and_lengths),
        cmocka_unit_test(the_range_of_time_limits_the_zones),
        cmocka_unit_test(any_size_of_the_panel_is_drawn),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
