/* The table of panels: names, keys, the order of Esc, the layout. The parts that draw are skipped where
 * there is no OpenGL. */
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/drive/driver.h"
#include "host/viewer/timeline/view.h"
#include "tests/query/demo_trace.h"
#include "tests/viewer/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

static void names_keys_and_ranks_are_unique(void **state)
{
    for (int i = 0; i < TD_PANEL_COUNT; i++) {
        const struct td_panel *a = td_panels[i];
        assert_true(a->name && *a->name);
        assert_true(a->draw || (!a->title && !a->keys[0].key && !a->is_open)); /* it is never open */
        assert_true(!a->bar_rank == !a->draw_controls);
        assert_in_range(a->bar_rank, 0, TD_PANEL_COUNT);
        for (int j = 0; j < i; j++) {
            const struct td_panel *b = td_panels[j];
            assert_string_not_equal(a->name, b->name);
            assert_true(!a->bar_rank || a->bar_rank != b->bar_rank);
            for (int k = 0; k < 4; k++)
                assert_true(!a->keys[k / 2].key || a->keys[k / 2].key != b->keys[k % 2].key ||
                            a->keys[k / 2].shift != b->keys[k % 2].shift);
        }
    }
}

static void a_panel_with_a_key_is_on_the_help_page(void **state)
{
    for (int i = 0; i < TD_PANEL_COUNT; i++)
        if (td_panels[i]->keys[0].key)
            assert_non_null(td_panels[i]->help);
}

/* Panels docked to an edge have a size or are tabs, one panel is the centre, the others are overlays. */
static void every_panel_has_a_dock(void **state)
{
    int centres = 0;
    for (int i = 0; i < TD_PANEL_COUNT; i++) {
        enum td_dock dock = td_panels[i]->dock;
        centres += dock == TD_DOCK_CENTRE;
        assert_true((td_panels[i]->size || td_panels[i]->title) == (dock < TD_DOCK_CENTRE));
        assert_false(td_panels[i]->size && td_panels[i]->title);
    }
    assert_int_equal(centres, 1);
}

static void check_rect(struct td_rect r, float left, float top, float right, float bottom)
{
    assert_true(r.left == left && r.top == top && r.right == right && r.bottom == bottom);
}

static void docks_share_the_window_without_gaps(void **state)
{
    struct td_rect rest = {0, 0, 1000, 600};
    check_rect(td_dock_cut(&rest, TD_DOCK_TOP, 40), 0, 0, 1000, 40);
    check_rect(td_dock_cut(&rest, TD_DOCK_BOTTOM, 100), 0, 500, 1000, 600);
    check_rect(td_dock_cut(&rest, TD_DOCK_LEFT, 200), 0, 40, 200, 500);
    check_rect(td_dock_cut(&rest, TD_DOCK_RIGHT, 300), 700, 40, 1000, 500);
    check_rect(td_dock_cut(&rest, TD_DOCK_CENTRE, 0), 200, 40, 700, 500);
    check_rect(td_dock_cut(&rest, TD_DOCK_OVERLAY, 0), 200, 40, 700, 500);
    /* In a window that is too small the centre is empty, not negative. */
    td_dock_cut(&rest, TD_DOCK_BOTTOM, 900);
    td_dock_cut(&rest, TD_DOCK_RIGHT, 900);
    check_rect(rest, 200, 40, 200, 40);
}

static int setup(void **state)
{
    static struct fixture f;
    return open_offscreen(state, &f, demo_trace(2), 1280, 720);
}

static void draw_frame(struct fixture *f)
{
    td_ui_poll(f->ui, 0);
    td_ui_begin(f->ui);
    td_view_frame(&f->view);
    td_ui_end(f->ui);
}

static void press(struct fixture *f, int key)
{
    struct td_key_press press = {.key = key};
    td_panels_key(&f->view, &press);
    draw_frame(f);
}

static void keys_open_and_close_help(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    td_driver_settle(&f->view); /* what it finds in the background is drawn, too */
    static const int keys[] = {'?', 'h'};
    for (int i = 0; i < 2; i++) {
        size_t before = td_ui_triangles(f->ui);
        press(f, keys[i]);
        assert_true(td_panel_is_open(&f->view, TD_PANEL_HELP));
        draw_frame(f);
        assert_true(td_ui_triangles(f->ui) > before);
        press(f, keys[i]);
        assert_false(td_panel_is_open(&f->view, TD_PANEL_HELP));
        draw_frame(f);
        assert_int_equal(td_ui_triangles(f->ui), before);
    }
}

static void escape_closes_one_thing_at_a_time(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    td_view_search(view, "verify");
    td_view_next_match(view, 1);
    view->selection.measured = 1;
    press(f, '/');
    press(f, '?');
    for (int step = 0; step < 6; step++) {
        assert_int_equal(td_panel_is_open(view, TD_PANEL_HELP), step < 1);
        assert_int_equal(td_panel_is_open(view, TD_PANEL_FIND), step < 2);
        assert_int_equal(view->find.active, step < 3);
        assert_int_equal(view->selection.measured, step < 4);
        assert_int_equal(td_ref_valid(view->selection.zone), step < 5);
        assert_int_equal(td_panel_is_open(view, TD_PANEL_DETAILS), step < 5);
        press(f, TD_KEY_ESCAPE);
    }
}

static void the_centre_gives_way_to_the_details(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    const struct td_rect *centre = &view->panels.slot[TD_PANEL_TIMELINE].place;
    draw_frame(f);
    assert_true(centre->top == view->panels.slot[TD_PANEL_STRIP].place.bottom && centre->bottom == 720);
    td_view_search(view, "verify");
    td_view_next_match(view, 1);
    draw_frame(f);
    assert_true(centre->right == view->panels.slot[TD_PANEL_DETAILS].place.left && centre->right < 1280);
    assert_true(view->area.bottom == 720 && view->area.right < centre->right);
    press(f, TD_KEY_ESCAPE);
    press(f, TD_KEY_ESCAPE);
}

static void regions_show_one_tab_and_follow_their_keys(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    const struct td_rect *centre = &view->panels.slot[TD_PANEL_TIMELINE].place;
    press(f, TD_KEY_F10);
    assert_true(view->panels.region[TD_REGION_BOTTOM].open);
    assert_true(td_panel_is_open(view, TD_PANEL_STATISTICS));
    draw_frame(f);
    float open = centre->bottom;
    assert_true(open == view->panels.region[TD_REGION_BOTTOM].place.top && open < 720);
    view->choices.own.regions.size[TD_REGION_BOTTOM] = view->panels.region[TD_REGION_BOTTOM].size + 50;
    draw_frame(f);
    assert_true(centre->bottom == open - 50);
    press(f, TD_KEY_F10);
    draw_frame(f);
    assert_true(centre->bottom == 720 && !td_panel_is_open(view, TD_PANEL_STATISTICS));
    press(f, 't');
    assert_true(td_panel_is_open(view, TD_PANEL_STATISTICS));
    press(f, TD_KEY_ESCAPE);
    assert_false(td_panel_is_open(view, TD_PANEL_STATISTICS));
}

/* Draws frames until nothing is computed any more. */
static void settle(struct fixture *f)
{
    do {
        td_ui_poll(f->ui, 5);
        draw_frame(f);
    } while (td_panels_busy(&f->view));
    draw_frame(f);
}

static void the_sums_of_a_range_are_made_in_the_background(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    press(f, 't');
    settle(f);
    const struct td_sums *sums = td_view_sums(view);
    assert_non_null(sums);
    const struct td_stat *stats;
    size_t count = td_trace_stats(view->model.trace, &stats);
    for (size_t s = 0; s < count; s++) {
        struct td_sum all = {.min_ns = INT64_MAX};
        for (size_t i = 0; i < sums->count; i++)
            if (sums->sum[i].srcloc == stats[s].srcloc)
                td_sum_add(&all, &sums->sum[i]);
        assert_true(all.count == stats[s].count && all.open == stats[s].open);
        assert_true(all.total_ns == stats[s].total_ns && all.self_ns == stats[s].self_ns);
        assert_true(!all.timed || (all.min_ns == stats[s].min_ns && all.max_ns == stats[s].max_ns));
    }
    uint64_t version = view->sums.version;
    td_camera_zoom(&view->camera, .3, .5);
    view->selection.limit = TD_LIMIT_VISIBLE;
    settle(f);
    assert_true(view->sums.version == version + 1);
    assert_true(td_view_sums(view)->from_ns > INT64_MIN);
    view->selection.limit = TD_LIMIT_NONE;
    press(f, TD_KEY_ESCAPE);
}

static float fixed_size(const struct td_view *view)
{
    return 250;
}

static void draw_nothing(struct td_view *view, const struct td_rect *place)
{
}

static void a_panel_at_the_left_narrows_the_timeline(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    const struct td_panel left = {
        .name = "left", .dock = TD_DOCK_LEFT, .size = fixed_size, .draw = draw_nothing};
    const struct td_panel *panels[TD_PANEL_COUNT];
    memcpy(panels, td_panels, sizeof panels);
    panels[TD_PANEL_HELP] = &left;
    f->view.panels.table = panels;
    td_panel_set_open(&f->view, TD_PANEL_HELP, true);
    draw_frame(f);
    check_rect(f->view.panels.slot[TD_PANEL_HELP].place, 0, f->view.panels.slot[TD_PANEL_STRIP].place.bottom,
               250, 720);
    assert_true(f->view.panels.slot[TD_PANEL_TIMELINE].place.left == 250 && f->view.area.left > 250);
    press(f, TD_KEY_ESCAPE);
    assert_true(f->view.panels.slot[TD_PANEL_TIMELINE].place.left == 0);
    f->view.panels.table = td_panels;
}

static void the_timeline_stays_within_its_place(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_rect place = {300, 80, 900, 500};
    td_ui_begin(f->ui);
    td_panel_timeline.draw(&f->view, &place);
    td_ui_end(f->ui);
    assert_true(f->view.area.left > 300 && f->view.area.right > f->view.area.left &&
                f->view.area.right < 900);
    assert_true(f->view.area.top > 80 && f->view.area.bottom == 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_keys_and_ranks_are_unique),
        cmocka_unit_test(a_panel_with_a_key_is_on_the_help_page),
        cmocka_unit_test(every_panel_has_a_dock),
        cmocka_unit_test(docks_share_the_window_without_gaps),
        cmocka_unit_test(keys_open_and_close_help),
        cmocka_unit_test(escape_closes_one_thing_at_a_time),
        cmocka_unit_test(the_centre_gives_way_to_the_details),
        cmocka_unit_test(regions_show_one_tab_and_follow_their_keys),
        cmocka_unit_test(the_sums_of_a_range_are_made_in_the_background),
        cmocka_unit_test(a_panel_at_the_left_narrows_the_timeline),
        cmocka_unit_test(the_timeline_stays_within_its_place),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
