/* Keys and the mouse, in a window of SDL's offscreen driver. Skipped without OpenGL. */
#include "host/viewer/panels/instances.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/view.h"
#include "tests/query/demo_trace.h"
#include "tests/viewer/fixture.h"

#include <SDL.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int setup(void **state)
{
    static struct fixture f;
    const struct td_ui_options options = {
        .title = "test", .width = 960, .height = 600, .scale = 1, .unseen = 1};
    setenv("SDL_VIDEODRIVER", "offscreen", 0);
    const int rc = open_view(state, &f, demo_trace(2), &options);
    f.window = f.ui ? SDL_GL_GetCurrentWindow() : NULL;
    return rc;
}

/* A button event holds the button for one frame only, so it is sent again in each frame. */
static void hold_button(const struct fixture *f)
{
    SDL_Event event = {.button = {.type = SDL_MOUSEBUTTONDOWN, .button = f->held, .state = SDL_PRESSED}};
    if (f->held)
        SDL_PushEvent(&event);
}

/* Draws frames until nothing moves. */
static void settle(struct fixture *f)
{
    int quiet = 0;
    for (int i = 0; i < 2000 && quiet < 4; i++) {
        hold_button(f);
        assert_true(td_ui_poll(f->ui, 0));
        td_ui_begin(f->ui);
        quiet = td_view_frame(&f->view) ? 0 : quiet + 1;
        td_ui_end(f->ui);
    }
    assert_int_equal(quiet, 4);
}

static void press(struct fixture *f, SDL_Keycode key, int shift)
{
    SDL_Event event = {.key = {.type = SDL_KEYDOWN, .state = SDL_PRESSED}};
    event.key.keysym.sym = key;
    event.key.keysym.scancode = SDL_GetScancodeFromKey(key);
    event.key.keysym.mod = shift ? KMOD_LSHIFT : 0;
    SDL_PushEvent(&event);
    event.type = SDL_KEYUP;
    event.key.state = SDL_RELEASED;
    SDL_PushEvent(&event);
    settle(f);
}

static double span(const struct fixture *f)
{
    return f->view.camera.end_ns - f->view.camera.start_ns;
}

static void keys_zoom_pan_and_fit(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    settle(f);
    double all = span(f), start = f->view.camera.start_ns;
    press(f, 'w', 0);
    press(f, SDLK_KP_PLUS, 0);
    assert_true(span(f) < all * .6);
    double before = f->view.camera.start_ns, now = span(f);
    press(f, 'd', 0);
    assert_true(fabs(f->view.camera.start_ns - before - .12 * now) < now * .001);
    press(f, SDLK_LEFT, 0);
    assert_true(fabs(f->view.camera.start_ns - before) < now * .001);
    press(f, 's', 0);
    assert_true(span(f) > now);
    press(f, 'f', 0);
    assert_true(fabs(span(f) - all) < 1 && fabs(f->view.camera.start_ns - start) < 1);
}

static void keys_close_and_open_tiles(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    settle(f);
    float height = f->view.layout.height;
    press(f, 'c', 0);
    assert_true(f->view.layout.height < height);
    press(f, 'c', 1);
    assert_true(f->view.layout.height == height);
    press(f, SDLK_PAGEDOWN, 0);
    assert_true(f->view.area.scroll > 100);
    press(f, SDLK_HOME, 0);
    assert_true(f->view.area.scroll == 0);
}

static void push_key(char c)
{
    SDL_Event event = {.key = {.type = SDL_KEYDOWN, .state = SDL_PRESSED}};
    event.key.keysym.sym = c;
    event.key.keysym.scancode = SDL_GetScancodeFromKey(c);
    SDL_PushEvent(&event);
    event = (SDL_Event){.text = {.type = SDL_TEXTINPUT}};
    event.text.text[0] = c;
    SDL_PushEvent(&event);
    event = (SDL_Event){.key = {.type = SDL_KEYUP, .state = SDL_RELEASED}};
    event.key.keysym.sym = c;
    event.key.keysym.scancode = SDL_GetScancodeFromKey(c);
    SDL_PushEvent(&event);
}

/* As when frames are slow: all of it waits when the frame begins. */
static void what_is_typed_after_a_slash_is_searched(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    settle(f);
    const double start = f->view.camera.to_start_ns, all = span(f);
    const float height = f->view.layout.height;
    for (const char *c = "/wasdcf"; *c; c++)
        push_key(*c);
    settle(f);
    assert_string_equal(f->view.find.text, "wasdcf");
    assert_true(f->view.camera.to_start_ns == start && span(f) == all && f->view.layout.height == height);
    for (const char *c = "verify"; *c; c++) { /* a key in each frame */
        push_key(*c);
        assert_true(td_ui_poll(f->ui, 0));
        td_ui_begin(f->ui);
        td_view_frame(&f->view);
        td_ui_end(f->ui);
    }
    settle(f);
    assert_string_equal(f->view.find.text, "wasdcfverify");
    assert_true(f->view.layout.height == height);
    for (int i = 0; i < 3; i++)
        press(f, SDLK_ESCAPE, 0);
    assert_false(f->view.find.active);
}

static void draw_late_frame(struct fixture *f)
{
    assert_true(td_ui_poll(f->ui, 0));
    td_ui_begin(f->ui);
    td_view_frame(&f->view);
    td_ui_end(f->ui);
}

/* Frames that are late have a key each, and the first one comes some frames after the slash. */
static void no_letter_after_a_slash_is_a_shortcut(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    for (int late = 0; late < 6; late++) {
        settle(f);
        const size_t notes = f->view.notes.count;
        push_key('/');
        for (int i = 0; i < late; i++)
            draw_late_frame(f);
        for (const char *c = "comp"; *c; c++) {
            push_key(*c);
            draw_late_frame(f);
        }
        settle(f);
        assert_string_equal(f->view.find.text, "comp");
        assert_int_equal(f->view.notes.count, notes);
        assert_false(td_panel_is_open(&f->view, TD_PANEL_OPERATIONS));
        for (int i = 0; i < 3; i++)
            press(f, SDLK_ESCAPE, 0);
        assert_false(f->view.find.active);
    }
}

static void finding_walks_over_the_matches(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    td_view_search(&f->view, "verify");
    settle(f);
    int64_t last = INT64_MIN;
    for (int i = 0; i < 3; i++) {
        press(f, 'n', 0);
        assert_true(td_ref_valid(f->view.selection.zone));
        struct td_zone zone = td_view_zone(&f->view, f->view.selection.zone);
        assert_string_equal(td_zone_label(f->view.model.dict, &zone), "verify");
        assert_true(zone.start_ns > last);
        last = zone.start_ns;
        assert_true((double)zone.start_ns >= f->view.camera.start_ns &&
                    (double)zone.end_ns <= f->view.camera.end_ns);
    }
    press(f, 'n', 1);
    assert_true(td_view_zone(&f->view, f->view.selection.zone).start_ns < last);
    press(f, 'z', 0);
    struct td_zone zone = td_view_zone(&f->view, f->view.selection.zone);
    assert_true(span(f) < (double)(zone.end_ns - zone.start_ns) * 1.3);
    press(f, SDLK_ESCAPE, 0);
    assert_false(f->view.find.active);
    press(f, SDLK_ESCAPE, 0);
    assert_false(td_ref_valid(f->view.selection.zone));
    press(f, 'f', 0);
}

static void a_match_in_a_closed_tile_opens_it(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    press(f, 'c', 0);
    td_view_search(&f->view, "TENDRIL-LOST");
    press(f, 'n', 0);
    float y;
    assert_true(td_view_zone_y(&f->view, f->view.selection.zone, &y));
    assert_true(y >= f->view.area.top && y < f->view.area.bottom);
    int node = td_layout_track_node(&f->view.layout, f->view.selection.zone.track);
    assert_true(f->view.layout.nodes[node].height > 0);
    td_view_search(&f->view, "");
    press(f, 'c', 1);
    press(f, 'f', 0);
    press(f, SDLK_HOME, 0);
    press(f, SDLK_ESCAPE, 0);
}

static void wait_for_mouse(struct fixture *f, float x, float y)
{
    SDL_WarpMouseInWindow(f->window, (int)x, (int)y);
    settle(f);
}

static void button(struct fixture *f, Uint8 which, int down)
{
    f->held = down ? which : 0;
    settle(f);
}

/* 0: this SDL cannot move the mouse without a display. */
static int mouse_works(struct fixture *f)
{
    wait_for_mouse(f, 700, 300);
    if (fabsf(td_ui_mouse_x(f->ui) - 700) < 2)
        return 1;
    print_message("skipped: no mouse here (at %g)\n", (double)td_ui_mouse_x(f->ui));
    return 0;
}

static void the_wheel_zooms_at_the_mouse(void **state)
{
    struct fixture *f = *state;
    if (!f || !mouse_works(f))
        return;
    double at = td_view_time(&f->view, td_ui_mouse_x(f->ui)), before = span(f);
    SDL_Event event = {.wheel = {.type = SDL_MOUSEWHEEL, .y = 3}};
    SDL_PushEvent(&event);
    settle(f);
    assert_true(span(f) < before * .8);
    assert_true(fabs(td_view_time(&f->view, td_ui_mouse_x(f->ui)) - at) < span(f) * .002);
    press(f, 'f', 0);
}

static void clicking_selects_the_zone_under_the_mouse(void **state)
{
    struct fixture *f = *state;
    if (!f || !mouse_works(f))
        return;
    int node = td_layout_track_node(&f->view.layout, 0);
    float y = f->view.area.top + td_layout_row_y(&f->view.layout.nodes[node], &f->view.metrics, 0) + 9;
    wait_for_mouse(f, 700, y);
    struct td_zone zone = td_view_zone(&f->view, f->view.hover.zone);
    assert_string_equal(td_zone_label(f->view.model.dict, &zone), "main");
    button(f, SDL_BUTTON_LEFT, 1);
    button(f, SDL_BUTTON_LEFT, 0);
    assert_true(td_ref_valid(f->view.selection.zone));
    assert_int_equal(td_view_self_ns(&f->view, f->view.selection.zone),
                     zone.end_ns - zone.start_ns - 280000 - 3 * (1480000 + 160000));
    press(f, SDLK_ESCAPE, 0);
    assert_false(td_ref_valid(f->view.selection.zone));
}

/* The first click opens the panel Zone, which takes room from the timeline, or covers the zone. */
static void a_double_click_zooms_to_the_zone_of_the_first_click(void **state)
{
    struct fixture *f = *state;
    if (!f || !mouse_works(f))
        return;
    const int node = td_layout_track_node(&f->view.layout, 0);
    const float y = f->view.area.top + td_layout_row_y(&f->view.layout.nodes[node], &f->view.metrics, 1) + 9;
    float x = f->view.area.right - 40;
    for (wait_for_mouse(f, x, y); !td_ref_valid(f->view.hover.zone) && x > 300; wait_for_mouse(f, x, y))
        x -= 5;
    const struct td_zone_ref zone = f->view.hover.zone;
    assert_true(td_ref_valid(zone));
    button(f, SDL_BUTTON_LEFT, 1);
    button(f, SDL_BUTTON_LEFT, 0);
    assert_true(td_panel_is_open(&f->view, TD_PANEL_DETAILS));
    SDL_Event event = {.button = {.type = SDL_MOUSEBUTTONDOWN,
                                  .button = SDL_BUTTON_LEFT,
                                  .state = SDL_PRESSED,
                                  .clicks = 2,
                                  .x = (int)x,
                                  .y = (int)y}};
    SDL_PushEvent(&event);
    settle(f);
    assert_true(td_ref_equal(f->view.selection.zone, zone));
    const struct td_zone shown = td_view_zone(&f->view, zone);
    assert_true(span(f) < (double)(shown.end_ns - shown.start_ns) * 1.5);
    press(f, SDLK_ESCAPE, 0);
    press(f, 'f', 0);
}

/* Clicks on the mark of the track's first message in the closed row of a node. */
static void click_closed_message(struct fixture *f, uint32_t track, int node)
{
    struct td_view *view = &f->view;
    const size_t number = td_trace_track_message(view->model.trace, track, 0);
    const struct td_message m = td_trace_message(view->model.trace, number);
    td_view_collapse(view, false);
    view->layout.nodes[node].collapsed = true;
    td_view_place_rows(view);
    td_camera_set_range(&view->camera, view->camera.full_start_ns, view->camera.full_end_ns, true);
    view->selection.message = 0;
    view->area.scroll = view->area.to_scroll = fmaxf(view->layout.nodes[node].y - 40, 0);
    settle(f);
    assert_true(td_view_node_y(view, &view->layout.nodes[node]) < view->area.bottom - 20);
    wait_for_mouse(f, td_view_x(view, (double)m.time_ns),
                   td_view_node_y(view, &view->layout.nodes[node]) + 5);
    button(f, SDL_BUTTON_LEFT, 1);
    button(f, SDL_BUTTON_LEFT, 0);
    assert_int_equal(view->selection.message, number + 1);
    td_panel_set_open(view, TD_PANEL_MESSAGES, false);
    view->selection.spot.used = false;
    view->area.scroll = view->area.to_scroll = 0;
    td_view_collapse(view, false);
    settle(f);
}

static void clicking_a_message_of_a_closed_row_selects_it(void **state)
{
    struct fixture *f = *state;
    if (!f || !mouse_works(f))
        return;
    int clicked = 0;
    for (uint32_t t = 0; t < td_dict_track_count(f->view.model.dict) && clicked < 3; t++) {
        const int node = td_layout_track_node(&f->view.layout, t);
        if (!td_trace_track_messages(f->view.model.trace, t) || node < 0)
            continue;
        click_closed_message(f, t, node);
        clicked++;
    }
    assert_true(clicked > 0);
    press(f, 'f', 0);
}

static void clicking_a_label_closes_its_group(void **state)
{
    struct fixture *f = *state;
    if (!f || !mouse_works(f))
        return;
    float height = f->view.layout.height;
    int host = 0;
    while (strcmp(f->view.layout.nodes[host].label, "Host"))
        host++;
    for (int i = 0; i < 2; i++) {
        wait_for_mouse(f, 60, f->view.area.top + f->view.layout.nodes[host].y + 8);
        button(f, SDL_BUTTON_LEFT, 1);
        button(f, SDL_BUTTON_LEFT, 0);
        assert_true(f->view.layout.nodes[host].collapsed == !i);
        assert_true(i ? f->view.layout.height == height : f->view.layout.height < height);
    }
}

static void a_right_drag_measures_and_a_left_drag_pans(void **state)
{
    struct fixture *f = *state;
    if (!f || !mouse_works(f))
        return;
    press(f, 'w', 0);
    for (int left = 0; left < 2; left++) {
        const int x = left ? 700 : 500; /* not an edge of the measured range, which a left drag moves */
        wait_for_mouse(f, x, 400);
        double start = f->view.camera.start_ns;
        button(f, left ? SDL_BUTTON_LEFT : SDL_BUTTON_RIGHT, 1);
        wait_for_mouse(f, x + 100, 400);
        button(f, left ? SDL_BUTTON_LEFT : SDL_BUTTON_RIGHT, 0);
        double dragged = 100 * f->view.area.ns_per_pixel;
        if (left)
            assert_true(fabs(start - f->view.camera.start_ns - dragged) < dragged * .02);
        else
            assert_true(f->view.selection.measured &&
                        fabs(f->view.selection.measure_to_ns - f->view.selection.measure_from_ns - dragged) <
                            dragged * .02);
    }
    press(f, SDLK_ESCAPE, 0);
    assert_false(f->view.selection.measured);
}

/* Draws frames until nothing is computed any more. */
static void wait_for_panels(struct fixture *f)
{
    do
        settle(f);
    while (td_panels_busy(&f->view));
    settle(f);
}

static void a_drag_in_the_histogram_lists_those_lengths(void **state)
{
    struct fixture *f = *state;
    if (!f || !mouse_works(f))
        return;
    struct td_view *view = &f->view;
    const struct instances *s = td_panel_state(view, TD_PANEL_INSTANCES);
    const struct td_rect *place = &view->panels.slot[TD_PANEL_INSTANCES].place;
    td_view_search(view, "multiply");
    td_view_next_match(view, true);
    press(f, 'i', 0);
    wait_for_panels(f);
    const size_t all = s->list.count;
    assert_int_equal(all, s->set.shown.count);
    wait_for_mouse(f, place->left + 100, place->bottom - 60);
    button(f, SDL_BUTTON_LEFT, 1);
    wait_for_mouse(f, place->left + 260, place->bottom - 60);
    button(f, SDL_BUTTON_LEFT, 0);
    wait_for_panels(f);
    assert_true(s->ranged && s->from_ns < s->to_ns);
    assert_true(s->list.count > 0 && s->list.count < all);
    for (size_t i = 0; i < s->list.count; i++)
        assert_in_range(td_instances_length_of(&s->set.shown, s->list.number[i]), s->from_ns, s->to_ns);
    button(f, SDL_BUTTON_RIGHT, 1);
    button(f, SDL_BUTTON_RIGHT, 0);
    wait_for_panels(f);
    assert_true(!s->ranged && s->list.count == all);
    press(f, 'i', 0);
}

static void a_click_on_a_parent_selects_it(void **state)
{
    struct fixture *f = *state;
    if (!f || !mouse_works(f))
        return;
    struct td_view *view = &f->view;
    td_view_search(view, "load kernels");
    td_view_next_match(view, true);
    wait_for_panels(f);
    const struct td_zone_ref before = view->selection.zone;
    const struct td_rect place = view->panels.slot[TD_PANEL_DETAILS].place;
    for (float y = place.top + 70; y < place.bottom && td_ref_equal(view->selection.zone, before); y += 9) {
        wait_for_mouse(f, place.left + 60, y);
        button(f, SDL_BUTTON_LEFT, 1);
        button(f, SDL_BUTTON_LEFT, 0);
    }
    struct td_zone zone = td_view_zone(view, view->selection.zone);
    assert_string_equal(td_zone_label(view->model.dict, &zone), "launch");
    press(f, SDLK_BACKSPACE, 0);
    assert_true(td_ref_equal(view->selection.zone, before));
    press(f, SDLK_ESCAPE, 0);
    press(f, SDLK_ESCAPE, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_zoom_pan_and_fit),
        cmocka_unit_test(keys_close_and_open_tiles),
        cmocka_unit_test(finding_walks_over_the_matches),
        cmocka_unit_test(what_is_typed_after_a_slash_is_searched),
        cmocka_unit_test(no_letter_after_a_slash_is_a_shortcut),
        cmocka_unit_test(a_match_in_a_closed_tile_opens_it),
        cmocka_unit_test(the_wheel_zooms_at_the_mouse),
        cmocka_unit_test(clicking_selects_the_zone_under_the_mouse),
        cmocka_unit_test(a_double_click_zooms_to_the_zone_of_the_first_click),
        cmocka_unit_test(clicking_a_message_of_a_closed_row_selects_it),
        cmocka_unit_test(clicking_a_label_closes_its_group),
        cmocka_unit_test(a_right_drag_measures_and_a_left_drag_pans),
        cmocka_unit_test(a_drag_in_the_histogram_lists_those_lengths),
        cmocka_unit_test(a_click_on_a_parent_selects_it),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
