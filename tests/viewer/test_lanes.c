/* The panels of lanes, chips and the range, and the rows that they choose, with keys and the mouse, in a
 * window of SDL's offscreen driver. Skipped without OpenGL. */
#include "host/viewer/drive/commands.h"
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
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CORES (2 * (4 * 3 - 1) * 5)

static int setup(void **state)
{
    static struct fixture f;
    const struct td_ui_options options = {
        .title = "test", .width = 1280, .height = 800, .scale = 1, .unseen = 1};
    setenv("SDL_VIDEODRIVER", "offscreen", 0);
    const int rc = open_view(state, &f, grid_trace(2, 4, 3), &options);
    f.window = f.ui ? SDL_GL_GetCurrentWindow() : NULL;
    return rc;
}

static void draw_frame(struct fixture *f)
{
    SDL_Event event = {.button = {.type = SDL_MOUSEBUTTONDOWN, .button = f->held, .state = SDL_PRESSED}};
    if (f->held)
        SDL_PushEvent(&event);
    td_ui_poll(f->ui, 0);
    td_ui_begin(f->ui);
    td_view_frame(&f->view);
    td_ui_end(f->ui);
}

/* Draws frames until nothing is computed or moves any more. */
static void settle(struct fixture *f)
{
    for (int quiet = 0; quiet < 4; quiet++) {
        draw_frame(f);
        if (td_panels_busy(&f->view) || f->view.area.scroll != f->view.area.to_scroll)
            quiet = 0;
    }
}

static void press(struct fixture *f, int key, bool shift)
{
    struct td_key_press press = {.key = key, .shift = shift};
    td_panels_key(&f->view, &press);
    settle(f);
}

static void set_filter(struct fixture *f, const char *text)
{
    td_lanes_set_filter(&f->view, text);
    settle(f);
}

/* Cores with a row of their own, with tiles expanded. */
static int shown_cores(struct fixture *f)
{
    const struct td_layout *l = &f->view.layout;
    int count = 0;
    for (int s = 0; s < l->shown_count; s++)
        count += l->nodes[l->shown[s]].kind == TD_NODE_TRACK && l->nodes[l->shown[s]].is_device;
    return count;
}

static int node_named(struct fixture *f, const char *label)
{
    for (int i = 0; i < f->view.layout.count; i++)
        if (!strcmp(f->view.layout.nodes[i].label, label))
            return i;
    fail_msg("there is no row %s", label);
    return -1;
}

static void the_filter_chooses_the_rows(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    td_view_collapse(&f->view, false);
    settle(f);
    assert_int_equal(f->view.lanes.lanes, CORES + 1);
    assert_int_equal(shown_cores(f), CORES);
    set_filter(f, "chip 1 TRISC*");
    assert_int_equal(shown_cores(f), 11 * 3);
    assert_int_equal(f->view.lanes.passing, 11 * 3);
    set_filter(f, "tile 1,0 and not NCRISC or main");
    assert_int_equal(shown_cores(f), 2 * 4);
    char detail[TD_NODE_DETAIL_BYTES];
    const struct td_node *nodes = f->view.layout.nodes;
    assert_string_equal(td_layout_detail(&nodes[node_named(f, "Tile 1,0")], detail), "4 of 5 cores");
    assert_string_equal(td_layout_detail(&nodes[node_named(f, "Chip 1")], detail), "1 of 11 tiles");
    assert_string_equal(td_layout_detail(&nodes[node_named(f, "Host")], detail), "1 thread");
    assert_int_equal(f->view.lanes.passing, 2 * 4 + 1);
    /* A text with a mistake leaves the filter as it was. */
    set_filter(f, "tile 1,0 and (");
    assert_true(*f->view.lanes.mistake.text && shown_cores(f) == 2 * 4);
    td_lanes_show_all(&f->view);
    settle(f);
    assert_int_equal(shown_cores(f), CORES);
    assert_string_equal(td_layout_detail(&nodes[node_named(f, "Tile 1,0")], detail), "5 cores");
}

static void a_filter_by_numbers_counts_first(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    set_filter(f, "wait > 20 %");
    int expected = 0;
    for (uint32_t t = 0; t < f->view.lanes.table.tracks; t++) {
        const struct td_lane *lane = td_lanes_get(&f->view, t);
        expected += lane && lane->facts.wait > .2;
        assert_int_equal(td_lanes_passes(&f->view, t), lane && lane->facts.wait > .2);
    }
    assert_true(expected > 0 && expected < CORES);
    assert_int_equal(shown_cores(f), expected);
    set_filter(f, "");
}

/* The zones table counts the lanes that pass. */
static void the_filter_limits_the_tables(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    press(f, 't', false);
    set_filter(f, "TRISC1");
    struct td_key_press copy = {.key = 'c', .ctrl = true};
    f->view.panels.focus = TD_PANEL_STATISTICS;
    td_panels_key(&f->view, &copy);
    char *text = SDL_GetClipboardText();
    assert_non_null(strstr(text, "multiply"));
    assert_null(strstr(text, "unpack"));
    SDL_free(text);
    press(f, 't', false);
    set_filter(f, "");
}

static void pins_stay_and_hidden_rows_go(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    settle(f);
    const float top = view->area.top, height = view->layout.height;
    td_lanes_pin(view, node_named(f, "Main thread"));
    settle(f);
    const struct td_node *pin = &view->layout.nodes[view->layout.pins[0]];
    assert_true(view->layout.pin_count == 1 && view->area.top == top + pin->height &&
                view->area.pins_top == top);
    press(f, TD_KEY_END, false);
    assert_true(view->area.scroll > 100 && td_view_node_y(view, pin) == top);
    press(f, TD_KEY_HOME, false);
    press(f, 'x', true);
    assert_true(view->layout.pin_count == 0 && view->area.top == top && view->layout.height == height);
    td_lanes_hide(view, node_named(f, "Tile 2,0"));
    settle(f);
    assert_int_equal(shown_cores(f), CORES - 5);
    assert_int_equal(view->lanes.hidden_rows, 5);
    press(f, 'x', true);
    assert_true(shown_cores(f) == CORES && view->layout.height == height);
}

static void groupings_keep_pins_and_hidden_rows(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    td_lanes_pin(view, node_named(f, "Main thread"));
    td_lanes_hide(view, node_named(f, "Tile 2,0"));
    for (int g = TD_GROUPING_COUNT - 1; g >= 0; g--) {
        press(f, 'g', false);
        assert_true(td_panel_is_open(view, TD_PANEL_GROUPING));
        press(f, '1' + g, false);
        assert_false(td_panel_is_open(view, TD_PANEL_GROUPING));
        assert_int_equal(view->lanes.grouping, g);
        assert_int_equal(shown_cores(f), CORES - 5);
        assert_true(view->layout.pin_count == 1 && view->lanes.hidden_rows == 5);
        assert_int_equal(view->layout.nodes[view->layout.of_track[0]].number, 0);
        if (g == TD_GROUPING_KERNEL)
            assert_int_equal(view->layout.nodes[node_named(f, "TRISC-KERNEL")].tracks, 22 * 3);
        if (g == TD_GROUPING_KIND)
            assert_int_equal(view->layout.nodes[node_named(f, "NCRISC")].tracks, 22);
    }
    press(f, 'x', true);
    press(f, 'x', true);
}

/* The first line after the head of what the panel copies. */
static void first_row(struct fixture *f, enum td_panel_id panel, char *out, size_t bytes)
{
    struct td_key_press copy = {.key = 'c', .ctrl = true};
    f->view.panels.focus = panel;
    td_panels_key(&f->view, &copy);
    char *text = SDL_GetClipboardText(), *line = strchr(text, '\n');
    snprintf(out, bytes, "%.*s", line ? (int)strcspn(line + 1, "\n") : 0, line ? line + 1 : "");
    SDL_free(text);
}

static void keys_walk_the_lanes_and_order_the_timeline(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    char row[300];
    press(f, 'e', false);
    assert_true(td_panel_is_open(view, TD_PANEL_LANES));
    /* Busiest first: NCRISC of the slow tile. */
    first_row(f, TD_PANEL_LANES, row, sizeof row);
    assert_int_equal(strncmp(row, "chip 0 tile 1,0 NCRISC\tNCRISC\tchip 0 > 1,0\tNCRISC-KERNEL\t", 53), 0);
    press(f, TD_KEY_DOWN, false);
    assert_int_equal(view->lanes.selected, 16 - 10 + 1); /* the thread is track 0 */
    int node = td_layout_track_node(&view->layout, view->lanes.selected);
    float y = td_view_node_y(view, &view->layout.nodes[node]);
    assert_true(y >= view->area.top && y < view->area.bottom);
    press(f, TD_KEY_ENTER, false);
    assert_true(td_ref_valid(view->selection.zone) && view->selection.zone.track == view->lanes.selected);
    press(f, 'g', false);
    press(f, '4', false);
    press(f, 'e', false);
    press(f, 'e', false);
    press(f, '1', false);
    const struct td_layout *l = &view->layout;
    double last = 2;
    int cores = 0;
    for (int s = 0; s < l->shown_count; s++) {
        const struct td_node *n = &l->nodes[l->shown[s]];
        if (n->kind != TD_NODE_TRACK || !n->is_device)
            continue;
        double busy = td_lanes_get(view, n->number)->facts.busy;
        assert_true(busy <= last);
        last = busy;
        cores++;
    }
    assert_int_equal(cores, CORES);
    press(f, '1', false);
    assert_null(view->lanes.rank);
    press(f, 'g', false);
    press(f, '1', false);
    press(f, 'e', false);
    td_view_select(view, TD_NO_ZONE);
}

static void keys_walk_the_tiles_of_a_chip(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    press(f, 'b', false);
    assert_true(td_panel_is_open(view, TD_PANEL_CHIP));
    view->lanes.selected = TD_NO_LANE;
    static const struct {
        int key;
        unsigned x, y;
    } steps[] = {{TD_KEY_RIGHT, 0, 0}, {TD_KEY_RIGHT, 1, 0},
                 {TD_KEY_DOWN, 1, 1},  {TD_KEY_LEFT, 0, 1},
                 {TD_KEY_DOWN, 0, 1},  /* 0,2 of chip 0 is missing */ {TD_KEY_UP, 0, 0}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        press(f, steps[i].key, false);
        const struct td_lane *lane = td_lanes_get(view, view->lanes.selected);
        assert_true(lane && lane->facts.x == steps[i].x && lane->facts.y == steps[i].y);
    }
    for (int m = 1; m <= 7; m++)
        press(f, '0' + m, false);
    press(f, TD_KEY_ENTER, false);
    press(f, TD_KEY_ENTER, false);
    press(f, 'b', false);
}

static void the_range_names_the_straggler(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    char row[2000];
    press(f, 'r', false);
    set_filter(f, "TRISC1");
    /* A line for each cell: the names of the matrix as often as lanes ran them. */
    td_panels_key(&f->view, &(struct td_key_press){.key = 'c', .ctrl = true, .shift = true});
    char *cells = SDL_GetClipboardText();
    uint64_t total = 0, lines = 0;
    for (const char *line = strchr(cells, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
        uint64_t count = 0;
        if (sscanf(line + 1, "multiply\t%*[^\t]\t%" SCNu64, &count) == 1) {
            total += count;
            lines++;
        }
    }
    SDL_free(cells);
    assert_int_equal(total, 1320);
    assert_int_equal(lines, 1320 / 60);
    for (int by = 1; by <= 4; by++) {
        press(f, '0' + by, false);
        first_row(f, TD_PANEL_CELLS, row, sizeof row);
        assert_int_equal(strncmp(row, "multiply\t1320\t", 14), 0);
        assert_non_null(strstr(row, "chip 0 tile 1,0 TRISC1"));
    }
    press(f, TD_KEY_DOWN, false);
    press(f, TD_KEY_ENTER, false);
    struct td_zone zone = td_view_zone(view, view->selection.zone);
    assert_string_equal(td_zone_label(view->model.dict, &zone), "multiply");
    char name[TD_LANE_NAME_BYTES];
    assert_string_equal(td_lanes_name(view, view->selection.zone.track, name), "chip 0 tile 1,0 TRISC1");
    set_filter(f, "");
    td_view_select(view, TD_NO_ZONE);
    td_view_search(view, "");
    press(f, 'r', false);
}

/* ---- mouse ---- */

static bool move_mouse(struct fixture *f, float x, float y)
{
    SDL_WarpMouseInWindow(f->window, (int)x, (int)y);
    settle(f);
    return fabsf(td_ui_mouse_x(f->ui) - x) < 2;
}

static void hold(struct fixture *f, bool down)
{
    f->held = down ? SDL_BUTTON_LEFT : 0;
    settle(f);
}

static void a_click_on_a_tile_shows_its_lane_and_a_drag_filters(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    td_view_collapse(view, true);
    press(f, 'b', false);
    const struct td_rect *p = &view->panels.slot[TD_PANEL_CHIP].place;
    float x = p->left + 60, y = p->top + 150;
    if (!move_mouse(f, x, y)) {
        print_message("skipped: no mouse here\n");
        press(f, 'b', false);
        return;
    }
    const uint32_t track = view->lanes.lit;
    assert_true(td_lanes_get(view, track) && td_lanes_get(view, track)->facts.is_core);
    assert_true(*view->hover.tip);
    hold(f, true);
    hold(f, false);
    assert_int_equal(view->lanes.selected, track);
    int node = td_layout_track_node(&view->layout, track);
    assert_true(view->layout.nodes[node].height > 0); /* its tile was closed */
    hold(f, true);
    move_mouse(f, x + 60, y + 10);
    hold(f, false);
    assert_int_equal(strncmp(view->lanes.filter.text, "chip 0 tile ", 12), 0);
    assert_true(view->lanes.passing > 0 && view->lanes.passing < view->lanes.lanes);
    assert_true(td_lanes_passes(view, track));
    /* "clear" is at the right end of the corner above the labels. */
    move_mouse(f, view->area.left - 20, view->area.pins_top - 40);
    hold(f, true);
    hold(f, false);
    assert_int_equal(view->lanes.passing, view->lanes.lanes);
    press(f, 'b', false);
    td_view_collapse(view, false);
}

/* The steps follow each other without a gap, and everything is as before afterwards. */
static void a_sweep_goes_through_the_marked_range(void **state)
{
    struct fixture *f = *state;
    struct td_err err = {0};
    if (!f)
        return;
    struct td_view *view = &f->view;
    const double from = view->model.first_ns, middle = floor((from + (double)view->model.last_ns) / 2);
    assert_int_equal(td_view_command_line(view, "sweep 0", &err), TD_E_USAGE);
    view->selection.measured = true;
    view->selection.measure_from_ns = middle;
    view->selection.measure_to_ns = from;
    assert_int_equal(td_view_command_line(view, "sweep 3", &err), 0);
    double at = from;
    for (int step = 0; step < 3; step++) {
        assert_true(view->selection.limit == TD_LIMIT_MARKED && view->selection.measure_from_ns == at);
        at = view->selection.measure_to_ns;
        while (view->selection.measured && view->selection.measure_to_ns == at &&
               (step < 2 || view->selection.limit == TD_LIMIT_MARKED)) {
            draw_frame(f);
            SDL_Delay(5);
        }
    }
    assert_true(at == middle);
    assert_true(view->selection.limit == TD_LIMIT_NONE && view->selection.measured);
    assert_true(view->selection.measure_from_ns == from && view->selection.measure_to_ns == middle);
    /* Another mark ends a sweep, and stays. */
    assert_int_equal(td_view_command_line(view, "sweep", &err), 0);
    view->selection.measure_to_ns = middle + 5;
    draw_frame(f);
    draw_frame(f);
    assert_true(view->selection.measure_to_ns == middle + 5);
    view->selection.limit = TD_LIMIT_NONE;
    view->selection.measured = false;
    td_panel_set_open(view, TD_PANEL_CHIP, false);
    settle(f);
}

static void p_and_x_work_on_the_row_under_the_mouse(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    settle(f);
    if (!move_mouse(f, view->area.left + 200,
                    view->area.top + view->layout.nodes[node_named(f, "Main thread")].y + 8))
        return;
    press(f, 'p', false);
    assert_int_equal(view->layout.pin_count, 1);
    move_mouse(f, view->area.left + 200, view->area.pins_top + 8);
    assert_int_equal(view->hover.node, node_named(f, "Main thread"));
    press(f, 'p', false);
    assert_int_equal(view->layout.pin_count, 0);
    move_mouse(f, view->area.left + 200,
               view->area.top + view->layout.nodes[node_named(f, "Main thread")].y + 8);
    press(f, 'x', false);
    assert_true(view->layout.nodes[node_named(f, "Main thread")].height == 0);
    press(f, 'x', true);
    assert_true(view->layout.nodes[node_named(f, "Main thread")].height > 0);
}

/* The kernel of TRISC1 has them all. */
static void rows_count_the_matches_of_their_lanes(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    td_view_search(&f->view, "multiply");
    settle(f);
    uint64_t in_chips = 0, in_tracks = 0;
    for (int i = 0; i < f->view.layout.count; i++) {
        const struct td_node *node = &f->view.layout.nodes[i];
        const uint64_t count = td_row_map_matches(&f->view, node);
        const bool is_track = node->kind == TD_NODE_TRACK;
        in_chips += node->kind == TD_NODE_GROUP && node->level == 0 ? count : 0;
        in_tracks += is_track ? count : 0;
        if (is_track)
            assert_int_equal(count, strcmp(node->label, "TRISC1") ? 0 : 60);
    }
    assert_int_equal(in_tracks, td_matches_count(f->view.find.matches));
    assert_int_equal(in_chips, in_tracks);
    set_filter(f, "chip 1 tile 0,0");
    settle(f);
    uint64_t passing = 0;
    for (int i = 0; i < f->view.layout.count; i++)
        if (f->view.layout.nodes[i].kind == TD_NODE_TRACK)
            passing += td_row_map_matches(&f->view, &f->view.layout.nodes[i]);
    assert_int_equal(passing, 60);
    td_view_search(&f->view, "");
    settle(f);
    assert_int_equal(td_row_map_matches(&f->view, f->view.layout.nodes), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_filter_chooses_the_rows),
        cmocka_unit_test(a_filter_by_numbers_counts_first),
        cmocka_unit_test(the_filter_limits_the_tables),
        cmocka_unit_test(pins_stay_and_hidden_rows_go),
        cmocka_unit_test(groupings_keep_pins_and_hidden_rows),
        cmocka_unit_test(keys_walk_the_lanes_and_order_the_timeline),
        cmocka_unit_test(keys_walk_the_tiles_of_a_chip),
        cmocka_unit_test(the_range_names_the_straggler),
        cmocka_unit_test(a_click_on_a_tile_shows_its_lane_and_a_drag_filters),
        cmocka_unit_test(a_sweep_goes_through_the_marked_range),
        cmocka_unit_test(p_and_x_work_on_the_row_under_the_mouse),
        cmocka_unit_test(rows_count_the_matches_of_their_lanes),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
