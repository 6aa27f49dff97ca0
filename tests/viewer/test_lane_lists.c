/* The filter of lanes limits what the lists show, too. Skipped without OpenGL. */
#include "host/query/ops/operations.h"
#include "host/viewer/panels/instances_job.h"
#include "tests/query/demo_trace.h"
#include "tests/viewer/settled_keys.h"
#include "host/viewer/timeline/navigate.h"

#include <SDL.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fixture window;

static int setup(void **state)
{
    setenv("SDL_VIDEODRIVER", "offscreen", 0);
    return open_offscreen(state, &window, demo_trace(2), 1280, 800);
}

/* Rows of what the panel copies whose column is not like `name`, and all rows. */
static int rows_of(struct fixture *f, enum td_panel_id panel, int column, const char *name, int *others)
{
    td_panel_set_open(&f->view, panel, true);
    f->view.panels.focus = panel;
    settle(f);
    settle(f);
    press_with(f, (struct td_key_press){.key = 'c', .ctrl = true});
    char *text = SDL_GetClipboardText(), *rest = text, *line;
    int rows = -1; /* the head */
    *others = 0;
    while ((line = strsep(&rest, "\n")) && *line) {
        char *cell = NULL;
        for (int i = 0; i <= column; i++)
            cell = strsep(&line, "\t");
        *others += rows++ >= 0 && cell && !strstr(cell, name);
    }
    SDL_free(text);
    return rows;
}

/* A panel's list has fewer rows with the filter, and all are of lanes that pass. */
static void check_list(struct fixture *f, enum td_panel_id panel, int column, const char *filter,
                       const char *name)
{
    int others, all = rows_of(f, panel, column, name, &others);
    assert_true(all > 0 && others > 0 && others < all);
    const int expected = all - others;
    td_lanes_set_filter(&f->view, filter);
    assert_int_equal(rows_of(f, panel, column, name, &others), expected);
    assert_int_equal(others, 0);
    td_lanes_set_filter(&f->view, "");
    assert_int_equal(rows_of(f, panel, column, name, &others), all);
    td_panel_set_open(&f->view, panel, false);
}

static void messages_losses_and_waits_obey_the_filter(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    check_list(f, TD_PANEL_MESSAGES, 1, "\"Main thread\"", "Main thread");
    check_list(f, TD_PANEL_WAITS, 0, "core TRISC*", "TRISC");
}

/* What is about the whole trace stays. */
static void losses_of_other_lanes_are_left_out(void **state)
{
    struct fixture *f = *state;
    int others;
    if (!f)
        return;
    const int all = rows_of(f, TD_PANEL_LOSSES, 4, "", &others);
    char *text = SDL_GetClipboardText();
    const char *lost = strstr(text, "Dropped events");
    assert_non_null(lost);
    SDL_free(text);
    td_lanes_set_filter(&f->view, "\"Main thread\"");
    assert_true(rows_of(f, TD_PANEL_LOSSES, 4, "", &others) < all);
    text = SDL_GetClipboardText();
    assert_null(strstr(text, "Dropped events"));
    SDL_free(text);
    td_lanes_set_filter(&f->view, "");
    assert_int_equal(rows_of(f, TD_PANEL_LOSSES, 4, "", &others), all);
    td_panel_set_open(&f->view, TD_PANEL_LOSSES, false);
}

static void instances_are_those_of_the_lanes_that_pass(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    td_view_search(view, "KERNEL");
    td_panel_set_open(view, TD_PANEL_INSTANCES, true);
    settle(f);
    const size_t all = td_instances_of_panel(view)->shown.count;
    td_lanes_set_filter(view, "core TRISC1");
    settle(f);
    settle(f);
    const struct td_instances *some = &td_instances_of_panel(view)->shown;
    assert_true(some->count > 0 && some->count < all);
    for (size_t i = 0; i < some->count; i++)
        assert_true(td_lanes_passes(view, td_instances_ref(some, i).track));
    td_lanes_set_filter(view, "");
    settle(f);
    settle(f);
    assert_int_equal(td_instances_of_panel(view)->shown.count, all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_losses_and_waits_obey_the_filter),
        cmocka_unit_test(losses_of_other_lanes_are_left_out),
        cmocka_unit_test(instances_are_those_of_the_lanes_that_pass),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
