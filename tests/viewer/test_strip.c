/* The strip of frames above the timeline: steps, clicks and drags, targets, a second set, and hiding it; by mouse, keys
 * and commands. Skipped without OpenGL. */
#include "host/file/file.h"
#include "host/query/rows/frame_times.h"
#include "host/viewer/timeline/frames.h"
#include "tests/viewer/mouse.h"

#include <string.h>

#define STRIP_HEIGHT 36
#define GRAPH_LEFT   280

static int setup(void **state)
{
    static struct fixture f;
    struct td_err err = {0};
    struct td_trace *trace = NULL;
    assert_int_equal(td_file_read(TD_SOURCE_DIR "/tests/data/trace/0.11.1/features.tracy", &trace, &err), 0);
    return open_window(state, &f, trace, 1200, 700);
}

static const struct td_rect *strip_of(const struct fixture *f)
{
    return td_panel_is_open(&f->view, TD_PANEL_STRIP) ? &f->view.panels.slot[TD_PANEL_STRIP].place : NULL;
}

/* The set that comes after `set` and has frames. */
static uint32_t set_after(const struct td_view *view, uint32_t set)
{
    do
        set++;
    while (!td_view_has_frames(view, set));
    return set;
}

static void the_strip_is_above_the_timeline_and_can_be_hidden(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    const struct td_rect *timeline = &f->view.panels.slot[TD_PANEL_TIMELINE].place;
    run(f, "set strip shown");
    settle(f);
    assert_non_null(strip_of(f));
    assert_true(strip_of(f)->bottom == timeline->top);
    assert_true(strip_of(f)->bottom - strip_of(f)->top == STRIP_HEIGHT);
    const float top = timeline->top;
    press_key(f, SDLK_q, KMOD_SHIFT);
    assert_null(strip_of(f));
    assert_true(timeline->top == top - STRIP_HEIGHT);
    press_key(f, SDLK_q, KMOD_SHIFT);
    assert_non_null(strip_of(f));
}

static void keys_and_commands_step_through_frames(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    run(f, "fit; frame 3");
    const size_t third = f->view.selection.frame;
    press_key(f, SDLK_k, 0);
    assert_int_equal(f->view.selection.frame, third + 1);
    press_key(f, SDLK_k, KMOD_SHIFT);
    press_key(f, SDLK_k, KMOD_SHIFT);
    assert_int_equal(f->view.selection.frame, third - 1);
    run(f, "fit");
}

static void the_target_is_any_number_of_frames_a_second(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_err err = {0};
    run(f, "set fps 90");
    assert_int_equal(td_view_target_fps(&f->view), 90);
    assert_true(td_driver_script(&f->view, "set fps 0", &err) < 0);
    assert_true(td_driver_script(&f->view, "set fps 10001", &err) < 0);
    assert_true(td_driver_script(&f->view, "set fps 9x", &err) < 0);
    assert_int_equal(td_view_target_fps(&f->view), 90);
    run(f, "set fps");
    assert_int_equal(td_view_target_fps(&f->view), 60);
}

static void a_second_set_stays_visible_when_it_is_chosen(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    const uint32_t first = view->selection.frame_set, second = set_after(view, first);
    char command[200];
    snprintf(command, sizeof command, "frameset with \"%s\"", td_view_name_of_frame_set(view, second));
    run(f, command);
    settle(f);
    assert_true(strip_of(f)->bottom - strip_of(f)->top == 2 * STRIP_HEIGHT);
    snprintf(command, sizeof command, "frameset \"%s\"", td_view_name_of_frame_set(view, second));
    run(f, command);
    settle(f);
    assert_int_equal(view->selection.frame_set, second);
    assert_int_equal(view->selection.second_set, first + 1);
    assert_true(strip_of(f)->bottom - strip_of(f)->top == 2 * STRIP_HEIGHT);
    struct td_err err = {0};
    assert_true(td_driver_script(view, "frameset \"no such set\"", &err) < 0);
    snprintf(command, sizeof command, "frameset \"%s\"; frameset alone",
             td_view_name_of_frame_set(view, first));
    run(f, command);
    settle(f);
    assert_true(strip_of(f)->bottom - strip_of(f)->top == STRIP_HEIGHT);
}

static void the_mouse_goes_to_frames_and_shows_those_that_it_passes(void **state)
{
    struct fixture *f = *state;
    if (!f || !has_mouse(f))
        return;
    struct td_view *view = &f->view;
    const float y = strip_of(f)->top + STRIP_HEIGHT / 2, x = GRAPH_LEFT + 60;
    run(f, "fit; frame 1");
    const size_t one = view->selection.frame;
    do
        settle(f);
    while (td_panels_busy(view));
    move_mouse(f, x, y);
    assert_true(strstr(view->hover.tip, "start of the program") || strstr(view->hover.tip, "Frame"));
    hold_button(f, SDL_BUTTON_LEFT);
    hold_button(f, 0);
    assert_true(view->selection.frame > 0 && view->selection.frame != one);
    const struct td_frame first =
        td_trace_frame(view->model.trace, view->selection.frame_set, view->selection.frame - 1);
    assert_true(view->camera.to_start_ns <= (double)first.start_ns &&
                view->camera.to_end_ns >= (double)first.start_ns);
    /* A drag over several bars shows them. */
    move_mouse(f, x, y);
    hold_button(f, SDL_BUTTON_LEFT);
    move_mouse(f, x + 80, y);
    hold_button(f, 0);
    assert_true(view->camera.to_end_ns > (double)first.start_ns + 1);
    const size_t end = td_frame_at(view->model.trace, view->selection.frame_set, view->camera.to_end_ns - 1);
    assert_true(end > 1 && end != SIZE_MAX);
    /* The right button opens the menu, which hides the strip. */
    move_mouse(f, x, y);
    hold_button(f, SDL_BUTTON_RIGHT);
    hold_button(f, 0);
    assert_true(td_panel_is_open(view, TD_PANEL_MENU));
    press_key(f, SDLK_UP, 0);
    press_key(f, SDLK_RETURN, 0);
    assert_null(strip_of(f));
    run(f, "set strip shown; fit");
    settle(f);
    /* An arrow steps; the name opens the sets. */
    const size_t before = view->selection.frame;
    move_mouse(f, GRAPH_LEFT - 4 - 44 - 4 - 11, y);
    hold_button(f, SDL_BUTTON_LEFT);
    hold_button(f, 0);
    assert_int_equal(view->selection.frame, before + 1);
    move_mouse(f, 30, y);
    hold_button(f, SDL_BUTTON_LEFT);
    hold_button(f, 0);
    assert_true(td_panel_is_open(view, TD_PANEL_MENU));
    press_key(f, SDLK_ESCAPE, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_strip_is_above_the_timeline_and_can_be_hidden),
        cmocka_unit_test(keys_and_commands_step_through_frames),
        cmocka_unit_test(the_target_is_any_number_of_frames_a_second),
        cmocka_unit_test(a_second_set_stays_visible_when_it_is_chosen),
        cmocka_unit_test(the_mouse_goes_to_frames_and_shows_those_that_it_passes),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
