/* What the mouse does over the rows of the timeline, in a window. Skipped without OpenGL or a mouse. */
#include "host/query/rows/frame_times.h"
#include "tests/query/demo_trace.h"
#include "tests/viewer/mouse.h"
#include "host/viewer/timeline/navigate.h"

#include <string.h>

#define OUTLINE 0xffffff /* of zones of the place of the one under the mouse */

static int setup(void **state)
{
    static struct fixture f;
    return open_window(state, &f, demo_trace(1), 700, 456);
}

/* To the middle of a zone of that name. */
static void move_to_zone(struct fixture *f, const char *name)
{
    struct td_view *view = &f->view;
    struct td_zone zone = {0};
    float y;
    td_view_search(view, name);
    for (int i = 0; i < 100 && (!i || strcmp(td_zone_label(view->model.dict, &zone), name) != 0); i++) {
        td_view_next_match(view, true);
        zone = td_view_zone(view, view->selection.zone);
    }
    const struct td_zone_ref ref = view->selection.zone;
    td_view_search(view, "");
    td_view_select(view, TD_NO_ZONE);
    settle(f);
    assert_true(td_view_zone_y(view, ref, &y));
    move_mouse(f, td_view_x(view, (double)(zone.start_ns + zone.end_ns) / 2), y + 8);
    assert_true(td_ref_valid(view->hover.zone));
    assert_string_equal(td_zone_label(view->model.dict, &(struct td_zone){.srcloc = view->hover.srcloc}),
                        name);
}

static void a_zone_under_the_mouse_outlines_those_of_its_place(void **state)
{
    struct fixture *f = *state;
    if (!f || !has_mouse(f))
        return;
    move_mouse(f, 20, 300); /* a label */
    assert_int_equal(f->view.hover.srcloc, TD_SUM_MIXED);
    assert_int_equal(count_color(f, OUTLINE), 0);
    move_to_zone(f, "main");
    const size_t one = count_color(f, OUTLINE); /* the only zone of its place */
    assert_in_range(one, 400, 1400);
    move_to_zone(f, "KERNEL"); /* of all cores */
    assert_true(count_color(f, OUTLINE) > one + one / 2);
}

static void one_region_covers_a_narrow_window_at_a_time(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    run(f, "open chips");
    assert_true(f->view.panels.region[TD_REGION_LEFT].open);
    run(f, "open options");
    assert_true(f->view.panels.region[TD_REGION_RIGHT].open && !f->view.panels.region[TD_REGION_LEFT].open);
    run(f, "close options");
    settle(f);
}

/* Moves down over the panel until the timeline marks what is under the mouse. */
static bool points_at_something(struct fixture *f, enum td_panel_id panel)
{
    const struct td_rect place = f->view.panels.slot[panel].place;
    for (float y = place.top + 20; y < place.bottom - 4; y += 8) {
        move_mouse(f, place.right - 60, y);
        if (f->view.selection.pointed.used)
            return true;
    }
    return false;
}

static void lines_of_lists_are_marked_in_the_timeline(void **state)
{
    struct fixture *f = *state;
    if (!f || !has_mouse(f))
        return;
    SDL_SetWindowPosition(f->window, 0, 0);
    SDL_SetWindowSize(f->window, 1400, 700); /* room for panels at all edges */
    settle(f);
    run(f, "find multiply; next; open messages");
    settle(f);
    assert_true(points_at_something(f, TD_PANEL_MESSAGES));
    assert_non_null(strstr(f->view.hover.tip, "Message"));
    assert_int_equal(f->view.selection.pointed.start_ns, f->view.selection.pointed.end_ns);
    run(f, "open instances");
    assert_true(points_at_something(f, TD_PANEL_INSTANCES));
    assert_true(f->view.selection.pointed.end_ns > f->view.selection.pointed.start_ns);
    run(f, "close instances");
    settle(f);
    assert_true(points_at_something(f, TD_PANEL_DETAILS)); /* the parent */
    assert_int_equal(f->view.selection.pointed.track, f->view.selection.zone.track);
    move_mouse(f, 20, 200); /* a label */
    assert_false(f->view.selection.pointed.used);
}

static double span(const struct fixture *f)
{
    return f->view.camera.end_ns - f->view.camera.start_ns;
}

/* Drags from one place to another one with the button. */
static void drag(struct fixture *f, Uint8 which, float x0, float y0, float x1, float y1)
{
    move_mouse(f, x0, y0);
    hold_button(f, which);
    move_mouse(f, x1, y1);
    hold_button(f, 0);
}

static void hold_ctrl(bool down)
{
    SDL_Event event = {.key = {.type = down ? SDL_KEYDOWN : SDL_KEYUP, .state = down}};
    event.key.keysym.sym = SDLK_LCTRL;
    event.key.keysym.scancode = SDL_SCANCODE_LCTRL;
    event.key.keysym.mod = down ? KMOD_LCTRL : 0;
    SDL_SetModState(down ? KMOD_LCTRL : KMOD_NONE);
    SDL_PushEvent(&event);
}

static void turn_wheel(struct fixture *f, int notches)
{
    SDL_Event event = {.wheel = {.type = SDL_MOUSEWHEEL, .y = notches}};
    SDL_PushEvent(&event);
    settle(f);
}

static bool is_about(double a, double b, double of)
{
    return fabs(a - b) < fabs(of) * .02;
}

static void with_tracys_mouse_each_button_drags_as_there(void **state)
{
    struct fixture *f = *state;
    if (!f || !has_mouse(f))
        return;
    struct td_view *view = &f->view;
    run(f, "set mouse tracy; zoom 1ms..3ms");
    const float y = view->area.bottom - 20;
    double start = view->camera.start_ns, before = span(f), from, to;

    drag(f, SDL_BUTTON_LEFT, 500, y, 600, y);
    assert_true(view->selection.measured && view->selection.limit == TD_LIMIT_NONE);
    assert_true(is_about(fabs(view->selection.measure_to_ns - view->selection.measure_from_ns),
                         100 * view->area.ns_per_pixel, 2e6 / 7));
    assert_true(view->camera.start_ns == start);

    drag(f, SDL_BUTTON_RIGHT, 500, y, 600, y);
    assert_true(is_about(start - view->camera.start_ns, 100 * view->area.ns_per_pixel, 2e6 / 7));
    assert_true(is_about(span(f), before, before));

    run(f, "zoom 1ms..3ms");
    from = td_view_time(view, 400);
    to = td_view_time(view, 600);
    drag(f, SDL_BUTTON_MIDDLE, 600, y, 400, y); /* also backwards */
    assert_true(is_about(view->camera.start_ns, from, to - from) &&
                is_about(view->camera.end_ns, to, to - from));

    run(f, "zoom 2ms..2.2ms");
    before = span(f);
    const double part = 200 / (double)(view->area.right - view->area.left);
    hold_ctrl(true);
    drag(f, SDL_BUTTON_MIDDLE, 400, y, 600, y);
    assert_true(is_about(span(f), before / part, before / part));
    drag(f, SDL_BUTTON_LEFT, 400, y, 600, y);
    assert_true(view->selection.measured && view->selection.limit == TD_LIMIT_MARKED);
    hold_ctrl(false);
    run(f, "limit all; mark; fit");
}

static void with_tracys_mouse_the_wheel_has_three_speeds(void **state)
{
    struct fixture *f = *state;
    if (!f || !has_mouse(f))
        return;
    run(f, "set mouse tracy; zoom 1ms..3ms");
    move_mouse(f, 600, f->view.area.bottom - 20);
    const double at = td_view_time(&f->view, 600), before = span(f);
    turn_wheel(f, 1);
    assert_true(is_about(span(f), before * .75, before));
    turn_wheel(f, -1);
    assert_true(is_about(span(f), before * .75 * 1.25, before));
    hold_ctrl(true);
    turn_wheel(f, 1);
    hold_ctrl(false);
    assert_true(is_about(span(f), before * .75 * 1.25 * .95, before));
    assert_true(is_about(td_view_time(&f->view, 600), at, before));
    press_key(f, 'w', 0);
    assert_true(is_about(td_view_time(&f->view, 600), at, before));
    run(f, "fit");
}

static void with_tracys_mouse_clicks_zoom_list_and_open_menus(void **state)
{
    struct fixture *f = *state;
    if (!f || !has_mouse(f))
        return;
    struct td_view *view = &f->view;
    run(f, "set mouse tracy; fit");
    move_to_zone(f, "verify");
    const struct td_zone zone = td_view_zone(view, view->hover.zone);
    hold_button(f, SDL_BUTTON_MIDDLE);
    hold_button(f, 0);
    assert_true(view->camera.start_ns < (double)zone.start_ns && view->camera.end_ns > (double)zone.end_ns);
    assert_true(span(f) < (double)(zone.end_ns - zone.start_ns) * 1.5);
    run(f, "fit");

    move_to_zone(f, "verify");
    hold_ctrl(true);
    hold_button(f, SDL_BUTTON_LEFT);
    hold_button(f, 0);
    hold_ctrl(false);
    assert_true(td_panel_is_open(view, TD_PANEL_INSTANCES));
    run(f, "close instances; close details; select; zoom 0ns..1us");

    int node = 0;
    while (view->layout.nodes[node].kind != TD_NODE_TRACK)
        node++;
    move_mouse(f, 60, td_view_node_y(view, &view->layout.nodes[node]) + 6);
    hold_button(f, SDL_BUTTON_MIDDLE);
    hold_button(f, 0);
    assert_true(span(f) > 1e6);
    hold_button(f, SDL_BUTTON_RIGHT);
    hold_button(f, 0);
    assert_true(td_panel_is_open(view, TD_PANEL_MENU));
    press_key(f, SDLK_ESCAPE, 0);
    run(f, "set mouse tendril; fit");
}

static void a_click_on_a_frame_chooses_its_set(void **state)
{
    struct fixture *f = *state;
    if (!f || !has_mouse(f))
        return;
    struct td_view *view = &f->view;
    int node = 0;
    while (node < view->layout.count && view->layout.nodes[node].kind != TD_NODE_FRAMES)
        node++;
    assert_true(node < view->layout.count);
    const struct td_node *frames = &view->layout.nodes[node];
    const size_t last = td_trace_frames(view->model.trace, frames->number) - 2;
    const struct td_frame frame = td_trace_frame(view->model.trace, frames->number, last);
    view->selection.frame_set = UINT32_MAX;
    run(f, "fit"); /* the strip of no set is hidden, and what is below it moves */
    move_mouse(f, td_view_x(view, (double)(frame.start_ns + frame.end_ns) / 2),
               td_view_node_y(view, frames) + 8);
    assert_true(view->hover.frame == last + 1 && view->hover.span.from_ns == (double)frame.start_ns);
    hold_button(f, SDL_BUTTON_LEFT);
    hold_button(f, 0);
    assert_int_equal(view->selection.frame_set, frames->number);
    assert_int_equal(view->selection.frame, last + 1);
    /* Its number, and those beside it, from the command line. */
    struct td_err err = {0};
    run(f, "frame previous");
    assert_int_equal(view->selection.frame, last);
    run(f, "frame next");
    assert_int_equal(view->selection.frame, last + 1);
    run(f, "frame #1");
    assert_int_equal(td_frame_number(view->model.trace, view->selection.frame_set, view->selection.frame - 1),
                     1);
    assert_true(td_driver_script(view, "frame 100000", &err) < 0);
    assert_string_equal(err.text, "there is no frame '100000'");
    press_key(f, SDLK_ESCAPE, 0);
}

static void an_edge_of_the_marked_range_is_dragged(void **state)
{
    struct fixture *f = *state;
    if (!f || !has_mouse(f))
        return;
    struct td_view *view = &f->view;
    run(f, "set mouse tendril; zoom 1ms..3ms; mark 1.5ms..2ms");
    const float y = view->area.bottom - 20, start = view->camera.start_ns;
    const float to = td_view_x(view, 2e6), from = td_view_x(view, 1.5e6);
    drag(f, SDL_BUTTON_LEFT, to, y, to + 60, y);
    assert_true(view->selection.measured && view->camera.start_ns == start);
    assert_true(is_about(fmin(view->selection.measure_from_ns, view->selection.measure_to_ns), 1.5e6, 1e6));
    assert_true(is_about(fmax(view->selection.measure_from_ns, view->selection.measure_to_ns),
                         2e6 + 60 * view->area.ns_per_pixel, 1e6));
    drag(f, SDL_BUTTON_LEFT, from, y, from - 40, y);
    assert_true(is_about(fmin(view->selection.measure_from_ns, view->selection.measure_to_ns),
                         1.5e6 - 40 * view->area.ns_per_pixel, 1e6));
    assert_true(is_about(fmax(view->selection.measure_from_ns, view->selection.measure_to_ns),
                         2e6 + 60 * view->area.ns_per_pixel, 1e6));
    /* Elsewhere, the timeline moves. */
    drag(f, SDL_BUTTON_LEFT, to - 20, y, to + 20, y);
    assert_true(view->camera.start_ns < start);
    run(f, "mark; fit");
}

static void tracks_that_are_empty_in_the_range_are_hidden_on_request(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    run(f, "expand; fit");
    int shown = 0, left = 0;
    for (int i = 0; i < view->layout.count; i++)
        shown += view->layout.nodes[i].kind == TD_NODE_TRACK && view->layout.nodes[i].visible;
    run(f, "set empty hidden; zoom 1ns..2ns");
    settle(f);
    for (int i = 0; i < view->layout.count; i++) {
        const struct td_node *n = &view->layout.nodes[i];
        bool any = false;
        for (uint64_t z = 0;
             n->kind == TD_NODE_TRACK && z < td_trace_row_zones(view->model.trace, n->number, 0); z++) {
            const struct td_zone zone = td_trace_zone(view->model.trace, n->number, 0, z);
            any |= zone.start_ns <= 2 && zone.end_ns > 1;
        }
        if (n->kind == TD_NODE_TRACK && !n->has_messages)
            assert_int_equal(n->visible, any);
        left += n->kind == TD_NODE_TRACK && n->visible;
    }
    assert_true(left < shown);
    run(f, "set empty shown");
    settle(f);
    for (int i = 0; i < view->layout.count; i++)
        shown -= view->layout.nodes[i].kind == TD_NODE_TRACK && view->layout.nodes[i].visible;
    assert_int_equal(shown, 0);
    run(f, "fit");
}

static void frames_over_the_target_are_marked_on_request(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    run(f, "fit; set fps 144; set targets hidden");
    settle(f);
    const size_t triangles = td_ui_triangles(f->ui);
    run(f, "set targets marked");
    settle(f);
    size_t over = 0;
    for (size_t i = 0; i < td_trace_frames(view->model.trace, view->selection.frame_set); i++)
        over += td_frame_length(view->model.trace, view->selection.frame_set, i, view->model.last_ns) >
                1e9 / td_view_target_fps(view);
    assert_int_equal(td_view_target_fps(view), 144);
    assert_int_equal(td_ui_triangles(f->ui), triangles + 2 * over);
    run(f, "set targets hidden; set fps 60");
}

/* The place of a track among the shown rows. */
static int place_of_track(const struct td_view *view, uint32_t track)
{
    const int node = td_layout_track_node(&view->layout, track);
    for (int i = 0; i < view->layout.shown_count; i++)
        if (view->layout.shown[i] == node)
            return i;
    return -1;
}

static float middle_of_track(const struct td_view *view, uint32_t track)
{
    const struct td_node *node = &view->layout.nodes[td_layout_track_node(&view->layout, track)];
    return td_view_node_y(view, node) + node->height / 2;
}

static void a_label_that_is_dragged_moves_its_row(void **state)
{
    struct fixture *f = *state;
    if (!f || !has_mouse(f))
        return;
    struct td_view *view = &f->view;
    const struct td_layout *layout = &view->layout;
    run(f, "expand; order; fit");
    int node = 0;
    while (layout->nodes[node].kind != TD_NODE_TRACK || layout->nodes[node + 1].kind != TD_NODE_TRACK ||
           layout->nodes[node].parent != layout->nodes[node + 1].parent)
        assert_true(++node + 1 < layout->count);
    const uint32_t first = layout->nodes[node].number, second = layout->nodes[node + 1].number;
    assert_true(place_of_track(view, first) < place_of_track(view, second));
    td_view_show_row(view, node, 0);
    settle(f);
    move_mouse(f, 60, middle_of_track(view, first));
    hold_button(f, SDL_BUTTON_LEFT);
    move_mouse(f, 60, middle_of_track(view, second));
    assert_int_equal(view->drag.to, td_layout_track_node(layout, second));
    assert_true(place_of_track(view, first) < place_of_track(view, second)); /* not before it is dropped */
    hold_button(f, 0);
    assert_true(place_of_track(view, first) > place_of_track(view, second));
    assert_false(layout->nodes[td_layout_track_node(layout, first)].collapsed);
    /* Back up again, and to a place that is none. */
    move_mouse(f, 60, middle_of_track(view, first));
    hold_button(f, SDL_BUTTON_LEFT);
    move_mouse(f, 60, middle_of_track(view, second));
    hold_button(f, 0);
    assert_true(place_of_track(view, first) < place_of_track(view, second));
    move_mouse(f, 60, middle_of_track(view, first));
    hold_button(f, SDL_BUTTON_LEFT);
    move_mouse(f, 60, 2);
    assert_int_equal(view->drag.to, -1);
    hold_button(f, 0);
    assert_true(place_of_track(view, first) < place_of_track(view, second));
    move_mouse(f, 60, middle_of_track(view, first)); /* a click closes it */
    hold_button(f, SDL_BUTTON_LEFT);
    hold_button(f, 0);
    assert_true(layout->nodes[td_layout_track_node(layout, first)].collapsed);
    run(f, "expand; order");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_zone_under_the_mouse_outlines_those_of_its_place),
        cmocka_unit_test(one_region_covers_a_narrow_window_at_a_time),
        cmocka_unit_test(with_tracys_mouse_each_button_drags_as_there),
        cmocka_unit_test(with_tracys_mouse_the_wheel_has_three_speeds),
        cmocka_unit_test(with_tracys_mouse_clicks_zoom_list_and_open_menus),
        cmocka_unit_test(a_click_on_a_frame_chooses_its_set),
        cmocka_unit_test(an_edge_of_the_marked_range_is_dragged),
        cmocka_unit_test(tracks_that_are_empty_in_the_range_are_hidden_on_request),
        cmocka_unit_test(frames_over_the_target_are_marked_on_request),
        cmocka_unit_test(lines_of_lists_are_marked_in_the_timeline), /* the last: the window stays wide */
        cmocka_unit_test(a_label_that_is_dragged_moves_its_row),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
