/* The mouse over the map of a chip: tooltips of all kinds of places, tiles that are dragged over. In
 * a window of SDL's offscreen driver, or on a display. Skipped without a mouse. */
#include "host/viewer/timeline/view.h"
#include "tests/query/demo_trace.h"
#include "tests/viewer/mouse.h"

#include <string.h>

static int setup(void **state)
{
    static struct fixture f;
    return open_window(state, &f, mapped_grid_trace(), 1000, 700);
}

static bool enlarge_first_chip(struct fixture *f)
{
    if (!f || !has_mouse(f))
        return false;
    run(f, "open chip; set grid chip");
    for (uint32_t t = 0; !td_lanes_get(&f->view, f->view.lanes.selected) && t < f->view.lanes.table.tracks;
         t++)
        if (f->view.lanes.table.lane[t].facts.is_core)
            td_lanes_go(&f->view, t);
    settle(f);
    td_panels_key(&f->view, &(struct td_key_press){.key = TD_KEY_ENTER});
    settle(f);
    return true;
}

/* Whether the tooltip begins so. Where it was drawn, a NUL is at the end of each label and line; '*' is the rest
 * of a label or line. */
static bool has_tip(const struct td_view *view, const char *start)
{
    const char *tip = view->hover.tip, *end = view->hover.tip + sizeof view->hover.tip;
    for (; *start; start++) {
        const bool is_end = tip < end && (!*tip || *tip == '\n' || *tip == '\t');
        if (*start == '*' && !is_end && tip < end) {
            tip++;
            start--;
        } else if (*start != '*' && (tip == end || (*tip++ != *start && !(is_end && *start < ' ')))) {
            return false;
        }
    }
    return true;
}

/* The y at which the map begins, within a few pixels: above it there are no tooltips. */
static float find_top(struct fixture *f)
{
    const struct td_rect *p = &f->view.panels.slot[TD_PANEL_CHIP].place;
    float y = p->top + 90;
    for (; y < p->top + 140; y += 8) {
        move_mouse(f, p->left + 34, y);
        if (*f->view.hover.tip)
            break;
    }
    return y;
}

/* Moves to a place of the NoC, which is as wide as the panel. */
static void move_to(struct fixture *f, float top, int x, int y)
{
    const struct td_rect *p = &f->view.panels.slot[TD_PANEL_CHIP].place;
    const float left = p->left + 24, tile = floorf((p->right - 12 - left) / 7);
    move_mouse(f, left + ((float)x + .5f) * tile, top + ((float)y + .4f) * tile);
}

static void each_place_of_the_chip_says_what_it_is(void **state)
{
    struct fixture *f = *state;
    static const struct {
        int x, y;
        const char *tip;
    } places[] = {{0, 0, "DRAM\nchip\t0\nplace on the NoC\t0,0"},
                  {1, 0, "Ethernet\nchip\t0\nplace on the NoC\t1,0"},
                  {3, 0, "ARC\nchip\t0\nplace on the NoC\t3,0"},
                  {6, 0, "PCIe\nchip\t0\nplace on the NoC\t6,0"},
                  {1, 2, "relay\nchip\t0\nplace on the NoC\t1,2"},
                  {3, 1, "harvested Tensix\nchip\t0\nplace on the NoC\t3,1"},
                  {6, 1, "router\nchip\t0\nplace on the NoC\t6,1"},
                  {1, 4, "Tensix\nchip\t0\nplace on the NoC\t1,4\ntile\t0,2, no zones"},
                  {4, 3, "chip 0 tile 2,1 *\nplace on the NoC\t4,3\n"}};
    if (!enlarge_first_chip(f))
        return;
    const float top = find_top(f);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        move_to(f, top, places[i].x, places[i].y);
        if (!has_tip(&f->view, places[i].tip))
            fail_msg("%s, not %s", f->view.hover.tip, places[i].tip);
    }
}

/* From tile 1,0 to tile 2,0, between which a harvested tile is on the chip. */
static void a_drag_over_places_filters_their_lanes(void **state)
{
    struct fixture *f = *state;
    if (!enlarge_first_chip(f))
        return;
    const float top = find_top(f);
    move_to(f, top, 2, 1);
    hold_button(f, SDL_BUTTON_LEFT);
    move_to(f, top, 4, 1);
    hold_button(f, 0);
    assert_string_equal(f->view.lanes.filter.text, "chip 0 tile 1-2,0-0");
    assert_int_equal(f->view.lanes.passing, 2 * 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_place_of_the_chip_says_what_it_is, setup, teardown),
        cmocka_unit_test_setup_teardown(a_drag_over_places_filters_their_lanes, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
