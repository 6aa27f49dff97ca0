/* Chips by their maps: places against the maps, areas against the filter lane by lane, and the panel's keys and
 * command, in a picture. What draws is skipped without OpenGL. */
#include "host/query/ops/grid.h"
#include "host/viewer/drive/commands.h"
#include "tests/query/demo_trace.h"
#include "tests/viewer/fixture.h"
#include "tests/viewer/settled_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct made {
    struct td_trace *trace;
    struct td_lane_table table;
    struct td_chip_maps maps;
    struct td_grid grid;
};

static struct made make(void)
{
    struct made m = {.trace = mapped_grid_trace()};
    assert_int_equal(td_lane_table_make(&m.table, m.trace, NULL, 0, 4000000), 0);
    assert_int_equal(td_chip_maps_read(&m.maps, m.trace), 0);
    assert_int_equal(td_grid_make(&m.grid, &m.table, 4, 3, &m.maps), 0);
    return m;
}

static void drop(struct made *m)
{
    td_grid_free(&m->grid);
    td_chip_maps_free(&m->maps);
    td_lane_table_free(&m->table);
    td_trace_destroy(m->trace);
}

/* Where the trace's map, read again, says that a lane is. */
static void expected_place(const struct td_lane_facts *f, uint32_t *x, uint32_t *y)
{
    struct td_chip_map map;
    *x = f->x;
    *y = f->y;
    if (f->chip < 2 && td_chip_map_read(mapped_grid_text[f->chip], &map)) {
        *x = map.column_x[f->x];
        *y = map.row_y[f->y];
    }
}

static void tiles_are_where_the_map_of_their_chip_says(void **state)
{
    struct made m = make();
    assert_true(m.grid.left == 0 && m.grid.top == 0 && m.grid.width == 7 && m.grid.height == 6);
    assert_int_equal(m.grid.chips, MAPPED_CHIPS);
    assert_true(m.grid.map[0] && m.grid.map[1] && !m.grid.map[2] && !m.grid.map[3]);
    for (uint32_t t = 0; t < m.table.tracks; t++) {
        const struct td_lane_facts *f = &m.table.lane[t].facts;
        const struct td_grid_tile *tile = td_grid_tile_of(&m.grid, f);
        uint32_t x, y;
        assert_int_equal(tile != NULL, f->is_core);
        if (!tile)
            continue;
        expected_place(f, &x, &y);
        assert_true(tile->chip == f->chip && tile->x == x && tile->y == y);
        assert_ptr_equal(td_grid_at(&m.grid, tile->chip, x, y), tile);
        assert_int_equal(m.grid.track[tile->first + f->core], t);
        assert_true(td_grid_logical(&m.grid, tile->chip, &x, &y) && x == f->x && y == f->y);
    }
    assert_int_equal(td_grid_kind(&m.grid, 0, 3, 0), TD_PLACE_ARC);
    assert_int_equal(td_grid_kind(&m.grid, 0, 1, 2), TD_PLACE_RELAY);
    assert_int_equal(td_grid_kind(&m.grid, 0, 3, 4), TD_PLACE_HARVESTED);
    assert_int_equal(td_grid_kind(&m.grid, 0, 3, 5), TD_PLACE_COUNT); /* below this chip's NoC */
    assert_int_equal(td_grid_kind(&m.grid, 3, 0, 0), TD_PLACE_COUNT);
    uint32_t x = 3, y = 4;
    assert_false(td_grid_logical(&m.grid, 0, &x, &y));
    drop(&m);
}

/* Whether the filter passes exactly the lanes whose tiles are in the area. */
static void check_area(const struct made *m, size_t chip, const struct td_grid_area *area)
{
    char text[1000] = "";
    struct td_lane_filter filter;
    struct td_lane_mistake mistake;
    td_grid_name_area(&m->grid, chip, area, text, sizeof text);
    if (!td_lane_filter_parse(&filter, text, &mistake))
        fail_msg("%s: %s", text, mistake.text);
    for (uint32_t t = 0; t < m->table.tracks; t++) {
        const struct td_lane_facts *f = &m->table.lane[t].facts;
        uint32_t x, y;
        if (!f->is_core)
            continue;
        expected_place(f, &x, &y);
        const bool is_in =
            f->chip == chip && x >= area->left && x <= area->right && y >= area->top && y <= area->bottom;
        if (is_in != (*text && td_lane_filter_passes(&filter, f)))
            fail_msg("chip %u tile %u,%u and '%s'", f->chip, f->x, f->y, text);
    }
}

static void an_area_of_places_is_a_filter_of_its_lanes(void **state)
{
    struct made m = make();
    struct td_grid_area a;
    for (size_t chip = 0; chip < MAPPED_CHIPS; chip++)
        for (a.left = 0; a.left < m.grid.width; a.left++)
            for (a.right = a.left; a.right < m.grid.width; a.right++)
                for (a.top = 0; a.top < m.grid.height; a.top++)
                    for (a.bottom = a.top; a.bottom < m.grid.height; a.bottom++)
                        check_area(&m, chip, &a);
    char text[40] = "chip 9";
    td_grid_name_area(&m.grid, 1, &(struct td_grid_area){1, 0, 5, 2}, text, sizeof text);
    assert_string_equal(text, "chip 9 or chip 1 tile 0-3,1-2");
    td_grid_name_area(&m.grid, 1, &(struct td_grid_area){0, 0, 5, 2}, text, sizeof text); /* no room */
    assert_string_equal(text, "chip 9 or chip 1 tile 0-3,1-2");
    drop(&m);
}

/* ---- the panel ---- */

static int setup(void **state)
{
    static struct fixture f;
    return open_offscreen(state, &f, mapped_grid_trace(), 1000, 700);
}

static void expect_tile(struct fixture *f, unsigned chip, unsigned x, unsigned y)
{
    const struct td_lane *lane = td_lanes_get(&f->view, f->view.lanes.selected);
    assert_non_null(lane);
    if (lane->facts.chip != chip || lane->facts.x != x || lane->facts.y != y)
        fail_msg("chip %u tile %u,%u, not %u,%u", lane->facts.chip, lane->facts.x, lane->facts.y, x, y);
}

static void select_tile(struct fixture *f, unsigned chip, unsigned x, unsigned y)
{
    for (uint32_t t = 0; t < f->view.lanes.table.tracks; t++) {
        const struct td_lane_facts *facts = &f->view.lanes.table.lane[t].facts;
        if (facts->is_core && facts->chip == chip && facts->x == x && facts->y == y && facts->core == 2)
            td_lanes_go(&f->view, t);
    }
    settle(f);
    expect_tile(f, chip, x, y);
}

static void arrows_step_over_places_of_the_chip_or_over_logical_ones(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    press(f, 'b');
    assert_true(td_panel_is_open(&f->view, TD_PANEL_CHIP));
    assert_int_equal(td_view_choice(&f->view, TD_CHOICE_GRID), 0);
    select_tile(f, 1, 3, 0); /* the leftmost one: columns are at 5, 3, 4, 1 */
    press(f, TD_KEY_RIGHT);
    expect_tile(f, 1, 1, 0);
    press(f, TD_KEY_RIGHT);
    expect_tile(f, 1, 2, 0);
    press(f, TD_KEY_UP); /* rows are at 4, 2, 0 */
    expect_tile(f, 1, 2, 1);
    press(f, '0');
    assert_int_equal(td_view_choice(&f->view, TD_CHOICE_GRID), 1);
    press(f, TD_KEY_RIGHT);
    expect_tile(f, 1, 3, 1);
    press(f, TD_KEY_UP);
    expect_tile(f, 1, 3, 0);
    press(f, '0');
    assert_int_equal(td_view_choice(&f->view, TD_CHOICE_GRID), 0);
    press(f, TD_KEY_LEFT); /* 1,0 is at the left of the chip */
    expect_tile(f, 1, 3, 0);
    press(f, 'b');
}

static void the_command_set_chooses_the_grid(void **state)
{
    struct fixture *f = *state;
    struct td_err err = {0};
    if (!f)
        return;
    assert_int_equal(td_view_command_line(&f->view, "set grid logical", &err), 0);
    assert_int_equal(td_view_choice(&f->view, TD_CHOICE_GRID), 1);
    assert_true(td_view_command_line(&f->view, "set grid noc", &err) < 0);
    assert_non_null(strstr(err.text, "chip, logical"));
    assert_int_equal(td_view_command_line(&f->view, "set grid chip", &err), 0);
    assert_int_equal(td_view_choice(&f->view, TD_CHOICE_GRID), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_are_where_the_map_of_their_chip_says),
        cmocka_unit_test(an_area_of_places_is_a_filter_of_its_lanes),
        cmocka_unit_test_setup_teardown(arrows_step_over_places_of_the_chip_or_over_logical_ones, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(the_command_set_chooses_the_grid, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
