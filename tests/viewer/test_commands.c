/* The commands of the viewer, in an offscreen window: those of the table, of keys and of the line after `:`.
 * Skipped where there is no OpenGL. */
#include "host/viewer/drive/commands.h"
#include "host/viewer/drive/driver.h"
#include "tests/query/demo_trace.h"
#include "tests/viewer/fixture.h"

#include <SDL.h>
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
    return open_offscreen(state, &f, demo_trace(2), 480, 320);
}

static void run(struct fixture *f, const char *line)
{
    struct td_err err = {0};
    int rc = td_driver_script(&f->view, line, &err);
    if (rc < 0)
        print_message("%s: %s\n", line, err.text);
    assert_int_equal(rc, 0);
    td_driver_settle(&f->view);
}

static void check_mistake(struct fixture *f, const char *line, const char *text)
{
    struct td_err err = {0};
    assert_true(td_view_command_line(&f->view, line, &err) < 0);
    assert_string_equal(err.text, text);
}

static void commands_move_the_visible_range(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_camera *camera = &f->view.camera;
    run(f, "zoom 1ms..1.5ms");
    assert_true(fabs(camera->start_ns - 1e6) < 1 && fabs(camera->end_ns - 1.5e6) < 1);
    run(f, "goto 2ms");
    assert_true(fabs(camera->start_ns - 1.75e6) < 1 && fabs(camera->end_ns - 2.25e6) < 1);
    run(f, "mark 100us..300us; zoom");
    assert_true(fabs(camera->start_ns - 1e5) < 1 && fabs(camera->end_ns - 3e5) < 1);
    assert_false(f->view.selection.measured);
    run(f, "fit");
    assert_true(camera->start_ns == camera->full_start_ns && camera->end_ns == camera->full_end_ns);
}

static void select_takes_the_innermost_zone_of_a_track(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    run(f, "find verify; next");
    struct td_zone_ref found = f->view.selection.zone;
    struct td_zone zone = td_view_zone(&f->view, found);
    char line[200];
    snprintf(line, sizeof line, "select #%u %lldns", found.track, (long long)(zone.start_ns + 1));
    run(f, "select");
    assert_false(td_ref_valid(f->view.selection.zone));
    run(f, line);
    assert_true(f->view.selection.zone.track == found.track && f->view.selection.zone.row >= found.row);
    check_mistake(f, "select nothing-of-that-name 1ms", "there is no track 'nothing-of-that-name'");
    check_mistake(f, "select x", "select needs a track and a time");
    run(f, "select; find");
    check_mistake(f, "next", "there is no search; begin one with: find NAME");
}

static const struct td_node *row_of(const struct fixture *f, const char *label)
{
    for (int i = 0; i < f->view.layout.count; i++)
        if (!strcmp(f->view.layout.nodes[i].label, label))
            return &f->view.layout.nodes[i];
    fail_msg("there is no row '%s'", label);
    return NULL;
}

static void rows_are_pinned_and_hidden_by_their_names(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    const struct td_layout *layout = &f->view.layout;
    char label[120], line[200];
    int group = 0;
    while (group < layout->count &&
           (layout->nodes[group].kind != TD_NODE_GROUP || layout->nodes[group].level != 1))
        group++;
    assert_in_range(group, 0, layout->count - 2);
    snprintf(label, sizeof label, "%s", layout->nodes[group].label);
    snprintf(line, sizeof line, "pin \"%s\"", label);
    run(f, line);
    assert_true(row_of(f, label)->pinned && layout->pin_count > 1);
    run(f, line); /* a second time changes nothing */
    assert_true(row_of(f, label)->pinned);
    snprintf(line, sizeof line, "unpin \"%s\"", label);
    run(f, line);
    assert_int_equal(layout->pin_count, 0);
    snprintf(line, sizeof line, "hide \"%s\"", label);
    run(f, line);
    assert_true(f->view.lanes.hidden_rows > 1 && !row_of(f, label)->visible);
    snprintf(line, sizeof line, "show \"%s\"", label);
    run(f, line);
    assert_true(!f->view.lanes.hidden_rows && row_of(f, label)->visible);
    run(f, "hide #0; hide #1");
    assert_int_equal(f->view.lanes.hidden_rows, 2);
    run(f, "pin #0"); /* is seen again */
    assert_true(f->view.lanes.hidden_rows == 1 && layout->pin_count == 1);
    run(f, "show; unpin");
    assert_true(!f->view.lanes.hidden_rows && !layout->pin_count);
    check_mistake(f, "pin nothing-of-that-name", "there is no row 'nothing-of-that-name'");
    check_mistake(f, "hide #100000", "there is no row '#100000'");
}

static void tracks_are_put_in_the_wanted_order(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    const struct td_layout *layout = &f->view.layout;
    int first = -1, second = -1;
    run(f, "group flat");
    for (int i = 0; i < layout->count && second < 0; i++)
        if (layout->nodes[i].kind == TD_NODE_TRACK && layout->nodes[i].is_device)
            *(first < 0 ? &first : &second) = i;
    assert_true(second > first && layout->nodes[first].parent == layout->nodes[second].parent);
    const uint32_t a = layout->nodes[first].number, b = layout->nodes[second].number;
    char line[60];
    snprintf(line, sizeof line, "order \"#%u; #%u\"", b, a);
    run(f, line);
    assert_true(td_layout_track_node(layout, b) < td_layout_track_node(layout, a));
    check_mistake(f, "order \"#0;nothing-of-that-name\"", "there is no track 'nothing-of-that-name'");
    assert_true(td_layout_track_node(layout, b) < td_layout_track_node(layout, a));
    run(f, "order; group place");
    assert_true(td_layout_track_node(layout, a) < td_layout_track_node(layout, b));
}

static void an_operation_is_chosen_by_its_number(void **state)
{
    struct fixture *f = *state;
    struct td_err err = {0};
    if (!f)
        return;
    const struct td_camera *camera = &f->view.camera;
    run(f, "fit; operation 2");
    assert_true(td_panel_is_open(&f->view, TD_PANEL_OPERATIONS));
    const double second = camera->start_ns;
    assert_true(second > camera->full_start_ns);
    run(f, "operation previous");
    assert_true(camera->start_ns < second);
    run(f, "operation next");
    assert_true(camera->start_ns == second);
    assert_int_equal(td_driver_script(&f->view, "operation 12345678", &err), TD_E_NOTFOUND);
    assert_string_equal(err.text, "there is no operation 12345678");
    assert_true(camera->start_ns == second);
    check_mistake(f, "operation two", "'two' is not the number of a launch, next or previous");
    run(f, "close operations; fit");
}

static void panels_and_layouts_open(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    run(f, "open statistics");
    assert_true(td_panel_is_open(&f->view, TD_PANEL_STATISTICS));
    run(f, "close statistics");
    assert_false(td_panel_is_open(&f->view, TD_PANEL_STATISTICS));
    run(f, "layout find");
    assert_true(td_panel_is_open(&f->view, TD_PANEL_STATISTICS) ||
                f->view.panels.region[TD_REGION_BOTTOM].open);
    assert_true(td_panel_is_open(&f->view, TD_PANEL_DETAILS));
    assert_int_equal(f->view.panels.focus, TD_PANEL_TIMELINE);
    run(f, "focus next");
    assert_true(f->view.panels.focus == (enum td_panel_id)f->view.panels.region[TD_REGION_BOTTOM].current);
    run(f, "focus next; focus next");
    assert_int_equal(f->view.panels.focus, TD_PANEL_TIMELINE);
    run(f, "focus previous");
    assert_int_equal(f->view.panels.focus, TD_PANEL_DETAILS);
    run(f, "layout 1; close details");
    assert_false(td_panel_is_open(&f->view, TD_PANEL_STATISTICS));
    check_mistake(f, "layout 9", "'9' is not a layout: 1 (Explore), 2 (Cores), 3 (Find), 4 (Record)");
    check_mistake(f, "limit marked", "no range is marked; mark one with: mark A..B");
    run(f, "mark 1us..2us; limit marked");
    assert_int_equal(f->view.selection.limit, TD_LIMIT_MARKED);
    run(f, "limit all; mark");
}

static void notes_are_added_and_stepped_through(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    run(f, "note 1ms..2ms slow part; note 100us..200us \"first\"; mark 3ms..4ms; note; mark");
    assert_int_equal(f->view.notes.count, 3);
    assert_string_equal(f->view.notes.list[0].text, "first");
    assert_string_equal(f->view.notes.list[1].text, "slow part");
    assert_true(f->view.notes.list[2].from_ns == 3000000 && f->view.notes.list[2].to_ns == 4000000);
    f->view.selection.note = 0;
    run(f, "notes next");
    assert_int_equal(f->view.selection.note, 1);
    assert_true(f->view.camera.start_ns < 1e5 && f->view.camera.end_ns > 2e5 && f->view.camera.end_ns < 3e5);
    run(f, "notes previous");
    assert_int_equal(f->view.selection.note, 3);
    td_annotations_free(&f->view.notes);
    f->view.selection.note = 0;
    run(f, "fit");
}

static void every_command_has_help_and_a_line_for_mistakes(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    const struct td_view_command *command;
    for (size_t i = 0; (command = td_view_command_at(i)); i++) {
        char line[100], text[100];
        assert_true(*command->help && command->least <= command->most);
        assert_true(!*command->arguments == !command->most);
        assert_ptr_equal(td_view_command_named(command->name), command);
        snprintf(line, sizeof line, "%s%s", command->name, command->most ? "" : " x");
        snprintf(text, sizeof text, "usage: %s%s%s", command->name, *command->arguments ? " " : "",
                 command->arguments);
        if (command->least || !command->most)
            check_mistake(f, line, text);
    }
    check_mistake(f, "bogus", "there is no command 'bogus'");
    assert_string_equal(td_view_command_named("zo")->name, "zoom");
    assert_null(td_view_command_named("f"));
}

static void press(struct fixture *f, int key)
{
    SDL_Event event = {.key = {.type = SDL_KEYDOWN, .state = SDL_PRESSED}};
    event.key.keysym.sym = key;
    event.key.keysym.scancode = SDL_GetScancodeFromKey(key);
    SDL_PushEvent(&event);
    td_driver_settle(&f->view); /* text fields see the key in a frame while it is down */
    event.type = SDL_KEYUP;
    event.key.state = SDL_RELEASED;
    SDL_PushEvent(&event);
    td_driver_settle(&f->view);
}

static void type(struct fixture *f, const char *text)
{
    SDL_Event event = {.text = {.type = SDL_TEXTINPUT}};
    snprintf(event.text.text, sizeof event.text.text, "%s", text);
    SDL_PushEvent(&event);
    td_driver_settle(&f->view);
}

/* The colon as a keyboard sends it on which it is Shift and another key. */
static void press_colon(struct fixture *f)
{
    SDL_Event event = {.key = {.type = SDL_KEYDOWN, .state = SDL_PRESSED}};
    event.key.keysym.sym = ';';
    event.key.keysym.mod = KMOD_LSHIFT;
    SDL_PushEvent(&event);
    type(f, ":");
}

static void the_line_completes_runs_and_remembers(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    press_colon(f);
    assert_true(td_panel_is_open(&f->view, TD_PANEL_COMMAND));
    type(f, "op");
    press(f, SDLK_TAB);
    type(f, "stat");
    press(f, SDLK_TAB);
    press(f, SDLK_RETURN);
    assert_true(td_panel_is_open(&f->view, TD_PANEL_STATISTICS));
    assert_false(td_panel_is_open(&f->view, TD_PANEL_COMMAND));
    run(f, "close statistics");
    press_colon(f);
    press(f, SDLK_UP);
    press(f, SDLK_RETURN);
    assert_true(td_panel_is_open(&f->view, TD_PANEL_STATISTICS));
    run(f, "close statistics");
    press_colon(f);
    type(f, "bogus");
    press(f, SDLK_RETURN);
    assert_true(td_panel_is_open(&f->view, TD_PANEL_COMMAND));
    press(f, SDLK_ESCAPE);
    assert_false(td_panel_is_open(&f->view, TD_PANEL_COMMAND));
}

static void the_help_page_scrolls_in_a_small_window(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    run(f, "fit; open help");
    float scroll = f->view.area.to_scroll;
    size_t top = td_ui_triangles(f->ui);
    press(f, SDLK_END);
    size_t end = td_ui_triangles(f->ui);
    assert_true(end != top);
    press(f, SDLK_HOME);
    assert_int_equal(td_ui_triangles(f->ui), top);
    assert_true(f->view.area.to_scroll == scroll);
    run(f, "close help");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_move_the_visible_range),
        cmocka_unit_test(select_takes_the_innermost_zone_of_a_track),
        cmocka_unit_test(rows_are_pinned_and_hidden_by_their_names),
        cmocka_unit_test(tracks_are_put_in_the_wanted_order),
        cmocka_unit_test(an_operation_is_chosen_by_its_number),
        cmocka_unit_test(panels_and_layouts_open),
        cmocka_unit_test(notes_are_added_and_stepped_through),
        cmocka_unit_test(every_command_has_help_and_a_line_for_mistakes),
        cmocka_unit_test(the_line_completes_runs_and_remembers),
        cmocka_unit_test(the_help_page_scrolls_in_a_small_window),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
