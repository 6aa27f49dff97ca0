/* The panel Flame: what it copies equals the sums of zones and samples, and what the mouse, keys and commands do. */
#include "host/file/file.h"
#include "host/query/sums/sums.h"
#include "host/viewer/drive/commands.h"
#include "host/viewer/panels/flame_state.h"
#include "host/viewer/timeline/limits.h"
#include "tests/query/demo_trace.h"
#include "tests/viewer/mouse.h"
#include "tests/viewer/system_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ROW 18

static int setup(void **state)
{
    static struct fixture f;
    return open_window(state, &f, demo_trace(2), 960, 560);
}

static int setup_samples(void **state)
{
    static struct fixture f;
    return open_window(state, &f, system_trace(&SYSTEM_SMALL), 960, 560);
}

static struct flame_panel *panel(struct fixture *f)
{
    return td_panel_state(&f->view, TD_PANEL_FLAME);
}

/* The sum of the lines whose innermost name is that; NULL: of all lines. */
static uint64_t sum_of(const char *lines, const char *name)
{
    uint64_t sum = 0;
    for (const char *line = lines, *end; (end = strchr(line, '\n')); line = end + 1) {
        const char *number = end, *from = line;
        while (number[-1] != ' ')
            number--;
        for (const char *c = line; c < number; c++)
            from = *c == ';' ? c + 1 : from;
        if (!name || ((size_t)(number - 1 - from) == strlen(name) && !memcmp(from, name, strlen(name))))
            sum += strtoull(number, NULL, 10);
    }
    return sum;
}

/* Every name's own time is that of the table of zones. */
static void check_sums(struct fixture *f, const struct td_lane_choice *lanes)
{
    struct td_sums sums;
    char *lines = copied(f, "flame");
    uint64_t all = 0;
    assert_int_equal(td_sums_make(&sums, f->trace, INT64_MIN, INT64_MAX, INT64_MAX, lanes, NULL), 0);
    for (size_t i = 0; i < sums.count; i++) {
        const char *name = td_dict_zone_name(f->view.model.dict, sums.sum[i].srcloc);
        uint64_t self = 0;
        for (size_t k = 0; k < sums.count; k++)
            if (!strcmp(name, td_dict_zone_name(f->view.model.dict, sums.sum[k].srcloc)))
                self += (uint64_t)sums.sum[k].self_ns;
        assert_int_equal(sum_of(lines, name), self);
        all += (uint64_t)sums.sum[i].self_ns;
    }
    assert_int_equal(sum_of(lines, NULL), all);
    assert_true(all > 0);
    td_sums_free(&sums);
    SDL_free(lines);
}

/* As from the menu of a zone: the panel has counted nothing yet. */
static void a_name_is_zoomed_to_once_it_is_counted(void **state)
{
    struct fixture *f = *state;
    struct td_err err = {0};
    if (!f)
        return;
    const struct flame_panel *s = panel(f);
    assert_int_equal(td_view_command_line(&f->view, "flame zoom multiply", &err), 0);
    td_driver_settle(&f->view);
    assert_string_equal(td_flame_name(&s->whole.flame, s->whole.top), "multiply");
    assert_null(td_panel_flame.lacks(&f->view));
    run(f, "flame reset; close flame");
}

static void it_has_the_own_time_of_each_name(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    check_sums(f, NULL);
    run(f, "flame tracks");
    check_sums(f, NULL);
    char *lines = copied(f, "flame");
    assert_non_null(strstr(lines, "Main thread;main;launch "));
    SDL_free(lines);
    run(f, "flame together; lanes tile 0,0");
    struct td_lane_choice lanes = {0};
    assert_true(td_lanes_copy(&f->view, &lanes));
    check_sums(f, &lanes);
    td_lane_choice_free(&lanes);
    run(f, "lanes");
}

/* Against the tree whose sums test_flame checks zone by zone. */
static void it_counts_the_range_and_the_operation(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    const struct td_zone_tree_choice part = {1000000, 2000000, NULL, false, 0};
    struct td_call_tree tree;
    assert_int_equal(td_zone_tree_make(f->trace, &part, NULL, &tree, NULL), 0);
    run(f, "mark 1ms..2ms; limit marked");
    char *lines = copied(f, "flame");
    assert_int_equal(sum_of(lines, NULL), tree.at[0].total);
    SDL_free(lines);
    td_call_tree_free(&tree);
    run(f, "zoom 1ms..2ms; limit visible; mark");
    lines = copied(f, "flame");
    const uint64_t visible = sum_of(lines, NULL);
    SDL_free(lines);
    run(f, "limit all; fit; operation 1; open flame; flame operation");
    lines = copied(f, "flame");
    assert_int_equal(sum_of(lines, "launch"), 0); /* a core's zones only */
    assert_true(sum_of(lines, "KERNEL") > 0 && sum_of(lines, NULL) > visible / 2);
    SDL_free(lines);
    run(f, "close operations; flame range");
}

static void keys_zoom_and_turn_it(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct flame_panel *s = panel(f);
    run(f, "open flame; flame reset");
    f->view.panels.focus = TD_PANEL_FLAME;
    for (int i = 0; i < 3; i++)
        press_key(f, SDLK_DOWN, 0); /* all, FW, KERNEL */
    assert_string_equal(td_flame_name(&s->whole.flame, s->whole.chosen), "KERNEL");
    press_key(f, SDLK_RETURN, 0);
    assert_string_equal(td_flame_name(&s->whole.flame, s->whole.top), "KERNEL");
    press_key(f, SDLK_y, 0); /* by track: the path is another one */
    run(f, "open flame");
    assert_true(s->by_track);
    press_key(f, SDLK_y, 0);
    run(f, "flame zoom KERNEL");
    press_key(f, SDLK_BACKSPACE, 0);
    assert_string_equal(td_flame_name(&s->whole.flame, s->whole.top), "FW");
    press_key(f, SDLK_q, 0);
    assert_true(s->upwards);
    press_key(f, SDLK_q, 0);
    press_key(f, SDLK_ESCAPE, 0);
    assert_int_equal(s->whole.top, 0);
    press_key(f, SDLK_ESCAPE, 0);
    assert_false(td_panel_is_open(&f->view, TD_PANEL_FLAME));
    press_key(f, SDLK_g, KMOD_SHIFT);
    assert_true(td_panel_is_open(&f->view, TD_PANEL_FLAME));
}

static void the_zoom_stays_when_the_range_changes(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct flame_panel *s = panel(f);
    run(f, "open flame; flame zoom multiply");
    const uint64_t version = s->version;
    run(f, "mark 1ms..2ms; limit marked");
    settle(f);
    assert_true(s->version > version);
    assert_string_equal(td_flame_name(&s->whole.flame, s->whole.top), "multiply");
    run(f, "limit all; mark; flame reset");
}

static void a_name_has_callers_and_callees(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    const struct flame_panel *s = panel(f);
    run(f, "open flame; flame around launch");
    settle(f);
    const struct td_call_tree *in = &s->callees.flame.tree, *out = &s->callers.flame.tree;
    assert_int_equal(in->at[0].total, out->at[0].total);
    assert_string_equal(td_flame_name(&s->callers.flame, out->at[out->at[0].child].child), "main");
    char *lines = copied(f, "flame");
    assert_int_equal(sum_of(lines, NULL), in->at[0].total);
    assert_non_null(strstr(lines, "launch;await cores "));
    assert_null(strstr(lines, "main"));
    SDL_free(lines);
    struct td_err err = {0};
    assert_int_equal(td_driver_script(&f->view, "flame around no_such", &err), TD_E_NOTFOUND);
    assert_int_equal(td_driver_script(&f->view, "flame sideways", &err), TD_E_USAGE);
    assert_int_equal(td_driver_script(&f->view, "flame difference up", &err), TD_E_USAGE);
    run(f, "flame around");
    assert_int_equal(s->callers.flame.tree.count, 0);
}

static void a_search_says_its_share(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    const struct flame_panel *s = panel(f);
    run(f, "open flame; flame search multiply, pack");
    settle(f);
    uint64_t sum = 0;
    const struct td_call_tree *tree = &s->whole.flame.tree;
    for (uint32_t i = 0; i < tree->count; i++) {
        const char *name = td_flame_name(&s->whole.flame, i);
        sum += !strcmp(name, "multiply") || !strcmp(name, "pack") || !strcmp(name, "unpack")
                   ? tree->at[i].total
                   : 0;
    }
    assert_int_equal(s->whole.hit_sum, sum);
    assert_true(count_color(f, TD_C(MATCH)) > 2000);
    run(f, "flame search");
    settle(f);
    assert_int_equal(s->whole.hit_sum, 0);
}

/* The other trace lacks two tiles of zones. */
static void a_difference_is_red_and_blue(void **state)
{
    struct fixture *f = *state;
    char path[] = TD_BINARY_DIR "/test_flame_XXXXXX", line[200];
    if (!f)
        return;
    const struct flame_panel *s = panel(f);
    struct td_file_options options = {.version = TD_FILE_VERSION(0, 11, 1)};
    struct td_trace *other = demo_trace(1);
    close(mkstemp(path));
    assert_int_equal(td_file_write(other, path, &options, NULL), 0);
    run(f, "flame difference; open flame");
    assert_non_null(s->reason);
    snprintf(line, sizeof line, "compare %s; open flame", path);
    run(f, line);
    settle(f);
    td_driver_settle(&f->view);
    settle(f);
    const struct td_zone_tree_choice all = {INT64_MIN, INT64_MAX, NULL, false, 0};
    struct td_call_tree tree;
    assert_int_equal(td_zone_tree_make(other, &all, NULL, &tree, NULL), 0);
    assert_null(s->reason);
    assert_non_null(s->whole.flame.other);
    assert_int_equal(s->whole.flame.other[0], tree.at[0].total);
    const uint64_t now = s->whole.flame.tree.at[0].total;
    assert_true(now > tree.at[0].total);
    run(f, "flame difference before");
    settle(f);
    assert_int_equal(s->whole.flame.tree.at[0].total, tree.at[0].total);
    assert_int_equal(s->whole.flame.other[0], now);
    td_call_tree_free(&tree);
    /* Compare reads another trace: what reads this one is stopped. */
    run(f, line);
    run(f, "flame difference off");
    settle(f);
    assert_null(s->whole.flame.other);
    td_trace_destroy(other);
    unlink(path);
}

/* The middle of a row: the panel's place is below the tabs; its tools and the way to the top are above the boxes. */
static float row_y(struct fixture *f, int row)
{
    return f->view.panels.slot[TD_PANEL_FLAME].place.top + 30 + 22 + ((float)row + .5f) * ROW;
}

static void the_mouse_zooms_and_shows(void **state)
{
    struct fixture *f = *state;
    if (!f || !has_mouse(f))
        return;
    const struct flame_panel *s = panel(f);
    run(f, "open flame; flame reset");
    settle(f);
    move_mouse(f, 40, row_y(f, 2));
    assert_int_equal(strncmp(f->view.hover.tip, "KERNEL", 6), 0);
    hold_button(f, SDL_BUTTON_LEFT);
    hold_button(f, 0);
    assert_string_equal(td_flame_name(&s->whole.flame, s->whole.top), "KERNEL");
    move_mouse(f, 40, row_y(f, 0)); /* all */
    hold_button(f, SDL_BUTTON_LEFT);
    hold_button(f, 0);
    assert_int_equal(s->whole.top, 0);
}

static void samples_are_counted_by_function(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    const struct td_samples_choice all = {0};
    struct td_stack_counts counts;
    assert_int_equal(td_stack_counts_make(f->trace, &all, NULL, &counts, NULL), 0);
    run(f, "flame samples");
    char *lines = copied(f, "flame");
    assert_int_equal(sum_of(lines, NULL), counts.total);
    assert_non_null(strstr(lines, "main;work;hot_loop "));
    SDL_free(lines);
    run(f, "flame tracks");
    lines = copied(f, "flame");
    assert_int_equal(sum_of(lines, NULL), counts.total);
    SDL_free(lines);
    td_stack_counts_free(&counts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_zoomed_to_once_it_is_counted),
        cmocka_unit_test(it_has_the_own_time_of_each_name),
        cmocka_unit_test(it_counts_the_range_and_the_operation),
        cmocka_unit_test(keys_zoom_and_turn_it),
        cmocka_unit_test(the_zoom_stays_when_the_range_changes),
        cmocka_unit_test(a_name_has_callers_and_callees),
        cmocka_unit_test(a_search_says_its_share),
        cmocka_unit_test(a_difference_is_red_and_blue),
        cmocka_unit_test(the_mouse_zooms_and_shows),
    };
    const struct CMUnitTest of_samples[] = {cmocka_unit_test(samples_are_counted_by_function)};
    return cmocka_run_group_tests(tests, setup, teardown) +
           cmocka_run_group_tests(of_samples, setup_samples, teardown);
}
