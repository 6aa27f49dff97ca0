/* The panels that list things: their keys, what they select, and what the bar always shows. The parts that draw are
 * skipped where there is no OpenGL. */
#include "host/query/table/track_name.h"
#include "host/viewer/drive/commands.h"
#include "host/viewer/panels/trace_clock.h"
#include "host/viewer/timeline/menu.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/view.h"
#include "host/viewer/panels/table_panel.h"
#include "tests/query/demo_trace.h"
#include "tests/viewer/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <SDL.h>
#include <string.h>

static int open_window(void **state, int width, double scale)
{
    static struct fixture f;
    const struct td_ui_options options = {
        .title = "test", .width = width, .height = 600, .scale = scale, .offscreen = 1};
    return open_view(state, &f, demo_trace(2), &options);
}

static int setup(void **state)
{
    return open_window(state, 1280, 1);
}

static int setup_narrow(void **state)
{
    return open_window(state, 320, 1);
}

static int setup_narrow_and_large(void **state)
{
    return open_window(state, 700, 2);
}

static void draw_frame(struct fixture *f)
{
    td_ui_poll(f->ui, 0);
    td_ui_begin(f->ui);
    td_view_frame(&f->view);
    td_ui_end(f->ui);
}

/* Draws frames until nothing is computed any more. */
static void settle(struct fixture *f)
{
    draw_frame(f);
    do {
        td_ui_poll(f->ui, 5);
        draw_frame(f);
    } while (td_panels_busy(&f->view));
    draw_frame(f);
}

static void press(struct fixture *f, int key, bool shift)
{
    struct td_key_press press = {.key = key, .shift = shift};
    td_panels_key(&f->view, &press);
    settle(f);
}

static const char *name_of_selected(const struct td_view *view)
{
    struct td_zone zone = td_view_zone(view, view->selection.zone);
    return td_zone_label(view->model.dict, &zone);
}

static void l_steps_through_losses(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    /* The first entry is about the whole trace: it corrected times. */
    const bool corrected = td_trace_clamped(view->model.trace) > 0;
    press(f, 'l', false);
    assert_true(td_panel_is_open(view, TD_PANEL_LOSSES));
    assert_string_equal(name_of_selected(view), "TENDRIL-LOST");
    press(f, 'l', false);
    assert_string_equal(name_of_selected(view), "TENDRIL-STALL");
    press(f, 'l', true);
    assert_string_equal(name_of_selected(view), "TENDRIL-LOST");
    press(f, 'l', true);
    if (!corrected)
        assert_string_equal(name_of_selected(view), "TENDRIL-STALL");
    td_view_select(view, TD_NO_ZONE);
    td_panel_set_open(view, TD_PANEL_LOSSES, false);
}

static void a_message_of_a_closed_track_opens_it(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    td_view_collapse(view, true);
    press(f, 'm', true);
    assert_true(td_panel_is_open(view, TD_PANEL_MESSAGES));
    press(f, TD_KEY_END, false);
    const size_t last = td_trace_messages(view->model.trace);
    assert_int_equal(view->selection.message, last);
    const struct td_message m = td_trace_message(view->model.trace, last - 1);
    assert_true(view->selection.spot.used);
    assert_int_equal(view->selection.spot.track, m.track);
    assert_int_equal(view->selection.spot.start_ns, m.time_ns);
    const int node = td_layout_track_node(&view->layout, m.track);
    assert_true(view->layout.nodes[node].height > 0 && !view->layout.nodes[node].collapsed);
    press(f, TD_KEY_UP, false);
    assert_int_equal(view->selection.message, last - 1);
    td_view_collapse(view, false);
    press(f, 'm', true);
    assert_false(td_panel_is_open(view, TD_PANEL_MESSAGES));
}

/* How many rows the list of messages has, after the command. */
static uint64_t messages_after(struct fixture *f, const char *line)
{
    struct td_err err = {0};
    if (td_view_command_line(&f->view, line, &err) < 0)
        fail_msg("%s: %s", line, err.text);
    settle(f);
    const struct td_table_list *list = td_panel_state(&f->view, TD_PANEL_MESSAGES);
    return list->rows.count;
}

static void messages_of_any_threads_are_listed(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    uint32_t track[2] = {0};
    int found = 0;
    for (uint32_t t = 0; t < td_dict_track_count(view->model.dict) && found < 2; t++)
        if (td_trace_track_messages(view->model.trace, t))
            track[found++] = t;
    assert_int_equal(found, 2);
    const uint64_t of[2] = {td_trace_track_messages(view->model.trace, track[0]),
                            td_trace_track_messages(view->model.trace, track[1])},
                   all = td_trace_messages(view->model.trace);
    char line[40];
    press(f, 'm', true);
    assert_int_equal(messages_after(f, "messages all"), all);
    snprintf(line, sizeof line, "messages #%u", track[0]);
    assert_int_equal(messages_after(f, line), all - of[0]);
    assert_int_equal(messages_after(f, "messages none"), 0);
    assert_int_equal(messages_after(f, line), of[0]);
    snprintf(line, sizeof line, "messages #%u", track[1]);
    assert_int_equal(messages_after(f, line), of[0] + of[1]);
    snprintf(line, sizeof line, "messages only #%u", track[1]);
    assert_int_equal(messages_after(f, line), of[1]);
    press(f, 'q', false); /* the button's menu: a thread has a mark while it is listed */
    const struct td_menu *menu = td_panel_state(view, TD_PANEL_MENU);
    assert_true(td_panel_is_open(view, TD_PANEL_MENU));
    int on = 0, off = 0;
    for (int i = 0; i < menu->count; i++) {
        on += menu->entries[i].mark == TD_MENU_ON;
        off += menu->entries[i].mark == TD_MENU_OFF;
    }
    assert_true(on == 1 && off >= 1);
    press(f, TD_KEY_ESCAPE, false);
    assert_int_equal(messages_after(f, "messages all"), all);
    press(f, 'm', true);
}

static void the_limits_count_what_is_chosen(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    const struct td_table_list *list = td_panel_state(view, TD_PANEL_LIMITS);
    assert_int_equal(td_view_command_line(view, "note 1ms..2ms \"first part\"", NULL), 0);
    press(f, 'r', true);
    assert_true(td_panel_is_open(view, TD_PANEL_LIMITS));
    assert_int_equal(list->rows.count, 3); /* all, visible, the note */
    press(f, TD_KEY_END, false);
    assert_int_equal(view->selection.limit, TD_LIMIT_NONE); /* arrows only choose a line */
    press(f, TD_KEY_ENTER, false);
    assert_int_equal(view->selection.limit, TD_LIMIT_MARKED);
    assert_true(view->selection.measured && view->selection.measure_from_ns == 1e6 &&
                view->selection.measure_to_ns == 2e6);
    settle(f);
    assert_int_equal(list->rows.count, 4); /* what is marked, too */
    press(f, TD_KEY_HOME, false);
    press(f, TD_KEY_ENTER, false);
    assert_int_equal(view->selection.limit, TD_LIMIT_NONE);
    press(f, TD_KEY_DOWN, false);
    press(f, TD_KEY_ENTER, false);
    assert_int_equal(view->selection.limit, TD_LIMIT_VISIBLE);
    assert_int_equal(td_view_command_line(view, "limit all", NULL), 0);
    assert_int_equal(td_view_command_line(view, "mark", NULL), 0);
    td_annotations_remove(&view->notes, 0);
    press(f, 'r', true);
    td_camera_fit(&view->camera, true);
}

static void brackets_follow_the_chain(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    td_view_search(view, "FW");
    settle(f);
    td_view_next_match(view, true);
    settle(f);
    assert_string_equal(name_of_selected(view), "FW");
    const struct td_zone_ref receiver = view->selection.zone;
    press(f, '[', false);
    assert_string_equal(name_of_selected(view), "load kernels");
    assert_true(view->selection.chain.count > 0);
    press(f, ']', false);
    assert_string_equal(name_of_selected(view), "FW");
    assert_int_equal(view->selection.zone.track, receiver.track);
    td_view_search(view, "");
    td_view_select(view, TD_NO_ZONE);
}

static void k_goes_from_frame_to_frame(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    press(f, 'f', true);
    assert_true(td_panel_is_open(view, TD_PANEL_FRAMES));
    press(f, 'k', false);
    const size_t first = view->selection.frame;
    assert_true(first > 0);
    press(f, 'k', true);
    assert_int_equal(view->selection.frame, first - 1);
    press(f, 'k', false);
    assert_int_equal(view->selection.frame, first);
    const struct td_frame frame = td_trace_frame(view->model.trace, view->selection.frame_set, first - 1);
    assert_true(view->camera.to_start_ns <= (double)frame.start_ns);
    press(f, 'f', true);
    td_camera_fit(&view->camera, true);
}

static void x_in_plots_hides_a_row(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    const float before = view->layout.height;
    press(f, 'p', true);
    press(f, TD_KEY_DOWN, false);
    press(f, 'x', false);
    assert_true(view->layout.height <= before - view->metrics.plot); /* its group may be empty now */
    press(f, 'x', false);
    assert_true(view->layout.height == before);
    press(f, 'p', true);
}

static void a_list_is_copied_in_each_form(void **state)
{
    static const char *const begin[TD_COPY_FORM_COUNT] = {[TD_COPY_LINES] = "plot\tpoints\tmin\t",
                                                          [TD_COPY_CSV] = "plot,points,min,",
                                                          [TD_COPY_JSON] =
                                                              "{\n  \"plots\": [\n    {\n      \"name\": ",
                                                          [TD_COPY_TEXT] = "  name "};
    struct fixture *f = *state;
    if (!f)
        return;
    td_panel_set_open(&f->view, TD_PANEL_PLOTS, true);
    settle(f);
    for (int form = 0; form < TD_COPY_FORM_COUNT; form++) {
        assert_true(td_panel_copy(&f->view, TD_PANEL_PLOTS, (enum td_copy_form)form));
        char *text = SDL_GetClipboardText();
        if (strncmp(text, begin[form], strlen(begin[form])))
            fail_msg("the copy begins with %.60s", text);
        SDL_free(text);
    }
    td_panel_set_open(&f->view, TD_PANEL_PLOTS, false);
}

/* A loss that a zone marks is that zone in the timeline, whichever list shows it. */
static void a_row_shows_what_it_is_about(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    td_panel_set_open(view, TD_PANEL_LOSSES, true);
    settle(f);
    const struct td_table_list *list = td_panel_state(view, TD_PANEL_LOSSES);
    for (uint64_t i = 0; i < list->rows.count; i++) {
        const struct td_query_place place = td_query_place_of(list->shown, list->rows.rows[i]);
        td_view_select(view, TD_NO_ZONE);
        td_view_show_place(view, &place, false);
        assert_int_equal(td_ref_valid(view->selection.zone), place.kind == TD_AT_ZONE);
    }
    assert_true(list->rows.count >= 2);
    td_view_select(view, TD_NO_ZONE);
    td_panel_set_open(view, TD_PANEL_LOSSES, false);
}

static void every_list_draws_in_every_region(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    static const enum td_panel_id panels[] = {TD_PANEL_MESSAGES, TD_PANEL_FRAMES, TD_PANEL_PLOTS,
                                              TD_PANEL_WAITS,    TD_PANEL_LOSSES, TD_PANEL_TRACE};
    draw_frame(f);
    const size_t closed = td_ui_triangles(f->ui);
    for (size_t i = 0; i < sizeof panels / sizeof *panels; i++) {
        td_panel_set_open(&f->view, panels[i], true);
        settle(f);
        assert_true(td_ui_triangles(f->ui) != closed);
        td_panel_set_open(&f->view, panels[i], false);
    }
}

static void the_clock_bound_over_time_has_a_curve(void **state)
{
    struct td_trace *trace = demo_trace(2);
    struct td_clock_curve curve;
    td_clock_curve_make(&curve, trace);
    const int64_t end_ns = td_trace_get_info(trace)->last_time_ns;
    assert_true(curve.end_ns == end_ns && end_ns > DEMO_CLOCK_CHANGE_NS);
    assert_true(curve.greatest_ns == 412 && curve.last_ns == 205);
    for (int c = 0; c < TD_CLOCK_CURVE_COLUMNS; c++) {
        const double from_ns = (double)end_ns / TD_CLOCK_CURVE_COLUMNS * c;
        assert_int_equal(curve.column[c].bound_ns, from_ns <= DEMO_CLOCK_CHANGE_NS ? 412 : 205);
    }
    td_trace_destroy(trace);
}

static void the_curve_of_the_clock_bound_is_drawn_where_there_is_one(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    const struct td_rect place = {0, 0, 300, 200}, low = {0, 0, 300, 50};
    const struct td_clock_curve none = {0};
    struct td_clock_curve curve;
    size_t triangles[2];
    td_clock_curve_make(&curve, f->view.model.trace);
    for (int with = 0; with < 2; with++) {
        td_ui_poll(f->ui, 0);
        td_ui_begin(f->ui);
        td_ui_region_begin(f->ui, "clock", 0, 0, 300, 200, TD_C(BACK), TD_LAYER_BASE);
        const float high = td_trace_draw_clock(&f->view, with ? &curve : &none, &place);
        assert_true(with ? high > 0 && high < 200 : high == 0);
        assert_true(td_trace_draw_clock(&f->view, &curve, &low) == 0);
        td_ui_region_end(f->ui);
        td_ui_end(f->ui);
        triangles[with] = td_ui_triangles(f->ui);
    }
    assert_true(triangles[1] > triangles[0] + TD_CLOCK_CURVE_COLUMNS);
    draw_frame(f);
}

/* What is lost takes room from everything else in the bar. */
static void the_bar_shows_losses_in_every_width(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    const struct td_loss_counts losses = view->model.losses;
    assert_true(losses.any);
    view->model.losses = (struct td_loss_counts){0};
    settle(f);
    struct td_rect bar = view->panels.slot[TD_PANEL_BAR].place;
    assert_true(bar.right - bar.left == td_ui_width(f->ui));
    const size_t without = td_ui_triangles(f->ui);
    view->model.losses.of[TD_LOSS_CRASH] = view->model.losses.any = 1;
    settle(f);
    const size_t one = td_ui_triangles(f->ui);
    for (int k = 0; k < TD_LOSS_KINDS; k++)
        view->model.losses.of[k] = 1000000;
    settle(f);
    const size_t all = td_ui_triangles(f->ui);
    assert_true(one != without && all != without && all != one);
    view->model.losses = losses;
}

int main(void)
{
    const struct CMUnitTest wide[] = {
        cmocka_unit_test(l_steps_through_losses),
        cmocka_unit_test(a_message_of_a_closed_track_opens_it),
        cmocka_unit_test(messages_of_any_threads_are_listed),
        cmocka_unit_test(the_limits_count_what_is_chosen),
        cmocka_unit_test(brackets_follow_the_chain),
        cmocka_unit_test(k_goes_from_frame_to_frame),
        cmocka_unit_test(x_in_plots_hides_a_row),
        cmocka_unit_test(a_list_is_copied_in_each_form),
        cmocka_unit_test(a_row_shows_what_it_is_about),
        cmocka_unit_test(every_list_draws_in_every_region),
        cmocka_unit_test(the_clock_bound_over_time_has_a_curve),
        cmocka_unit_test(the_curve_of_the_clock_bound_is_drawn_where_there_is_one),
        cmocka_unit_test(the_bar_shows_losses_in_every_width),
    };
    const struct CMUnitTest narrow[] = {
        cmocka_unit_test(every_list_draws_in_every_region),
        cmocka_unit_test(the_bar_shows_losses_in_every_width),
    };
    int failed = cmocka_run_group_tests(wide, setup, teardown);
    failed += cmocka_run_group_tests(narrow, setup_narrow, teardown);
    return failed + cmocka_run_group_tests(narrow, setup_narrow_and_large, teardown);
}
