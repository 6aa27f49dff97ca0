/* What the mouse does over the rows of the timeline, in a window. Skipped without OpenGL or a mouse. */
#include "tests/viewer/demo_trace.h"
#include "tests/viewer/mouse.h"

#include <string.h>

#define PICTURE TD_BINARY_DIR "/test_mouse.png"
#define OUTLINE 0xe8edf4 /* of zones of the place of the one under the mouse */

static int setup(void **state)
{
    static struct fixture f;
    return open_window(state, &f, demo_trace(2), 900, 600);
}

/* To the middle of a zone of that name. */
static void move_to_zone(struct fixture *f, const char *name)
{
    struct td_view *view = &f->view;
    struct td_zone zone = {0};
    float y;
    td_view_search(view, name);
    for (int i = 0; i < 100 && (!i || strcmp(td_zone_label(view->dict, &zone), name) != 0); i++) {
        td_view_next_match(view, true);
        zone = td_view_zone(view, view->selected);
    }
    const struct td_zone_ref ref = view->selected;
    td_view_search(view, "");
    td_view_select(view, TD_NO_ZONE);
    settle(f);
    assert_true(td_view_zone_y(view, ref, &y));
    move_mouse(f, td_view_x(view, (double)(zone.start_ns + zone.end_ns) / 2), y + 8);
    assert_true(td_ref_valid(view->hover));
    assert_string_equal(td_zone_label(view->dict, &(struct td_zone){.srcloc = view->hover_srcloc}), name);
}

static void a_zone_under_the_mouse_outlines_those_of_its_place(void **state)
{
    struct fixture *f = *state;
    if (!f || !has_mouse(f))
        return;
    move_mouse(f, 20, 300); /* a label */
    assert_int_equal(f->view.hover_srcloc, TD_SUM_MIXED);
    assert_int_equal(count_color(f, PICTURE, OUTLINE), 0);
    move_to_zone(f, "main");
    const size_t one = count_color(f, PICTURE, OUTLINE); /* the only zone of its place */
    assert_in_range(one, 500, 1800);
    move_to_zone(f, "KERNEL"); /* of all cores */
    assert_true(count_color(f, PICTURE, OUTLINE) > 2 * one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_zone_under_the_mouse_outlines_those_of_its_place),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
