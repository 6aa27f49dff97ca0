/* The ways from a zone to its relatives, and the panel with its details: against plain calculations over the demo
 * trace. The parts that draw are skipped where there is no OpenGL. */
#include "host/query/sums/relatives.h"
#include "host/viewer/panels/details.h"
#include "tests/query/demo_trace.h"
#include "tests/viewer/fixture.h"
#include "tests/viewer/settled_keys.h"
#include "host/viewer/timeline/navigate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <SDL.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- relatives ---- */

struct every_zone {
    const struct td_trace *trace;
    struct td_zone_ref *list;
    size_t count;
};

static struct every_zone all_zones(const struct td_trace *trace)
{
    struct every_zone all = {.trace = trace};
    for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(trace)); t++)
        for (uint32_t r = 0; r < td_trace_rows(trace, t); r++)
            for (size_t i = 0; i < td_trace_row_zones(trace, t, r); i++) {
                all.list = realloc(all.list, (all.count + 1) * sizeof *all.list);
                assert_non_null(all.list);
                all.list[all.count++] = (struct td_zone_ref){t, r, i};
            }
    return all;
}

static struct td_zone at(const struct td_trace *trace, struct td_zone_ref ref)
{
    return td_trace_zone(trace, ref.track, ref.row, ref.index);
}

static void the_parent_is_the_zone_whose_children_contain_it(void **state)
{
    struct td_trace *trace = demo_trace(2);
    struct every_zone all = all_zones(trace);
    for (size_t i = 0; i < all.count; i++) {
        struct td_zone_ref parent = td_zone_parent(trace, all.list[i]);
        assert_int_equal(td_ref_valid(parent), all.list[i].row > 0);
        if (!td_ref_valid(parent))
            continue;
        struct td_zone zone = at(trace, parent);
        assert_true(parent.row + 1 == all.list[i].row && all.list[i].index >= zone.child_begin &&
                    all.list[i].index < zone.child_end);
    }
    free(all.list);
    td_trace_destroy(trace);
}

static bool is_after(const struct td_trace *trace, struct td_zone_ref a, struct td_zone_ref b)
{
    int64_t x = at(trace, a).start_ns, y = at(trace, b).start_ns;
    return x != y ? x > y : a.row != b.row ? a.row > b.row : a.index > b.index;
}

static void the_next_of_a_name_is_the_nearest_in_its_track(void **state)
{
    struct td_trace *trace = demo_trace(1);
    const struct td_dict *dict = td_trace_dict(trace);
    struct every_zone all = all_zones(trace);
    for (size_t i = 0; i < all.count; i++) {
        struct td_zone_ref next = TD_NO_ZONE, before = TD_NO_ZONE, zone = all.list[i];
        const struct td_zone self = at(trace, zone);
        for (size_t k = 0; k < all.count; k++) {
            const struct td_zone other = at(trace, all.list[k]);
            if (all.list[k].track != zone.track || td_ref_equal(all.list[k], zone) ||
                strcmp(td_zone_label(dict, &self), td_zone_label(dict, &other)))
                continue;
            bool after = is_after(trace, all.list[k], zone);
            if (after && (!td_ref_valid(next) || is_after(trace, next, all.list[k])))
                next = all.list[k];
            if (!after && (!td_ref_valid(before) || is_after(trace, all.list[k], before)))
                before = all.list[k];
        }
        assert_true(td_ref_equal(td_zone_next_of_name(trace, zone, true, UINT64_MAX), next));
        assert_true(td_ref_equal(td_zone_next_of_name(trace, zone, false, UINT64_MAX), before));
    }
    free(all.list);
    td_trace_destroy(trace);
}

static void children_are_grouped_by_name(void **state)
{
    struct td_trace *trace = demo_trace(2);
    const struct td_dict *dict = td_trace_dict(trace);
    struct every_zone all = all_zones(trace);
    for (size_t i = 0; i < all.count; i++) {
        struct td_children c;
        struct td_zone_ref zone = all.list[i];
        const struct td_zone self = at(trace, zone);
        assert_int_equal(td_children_make(&c, trace, zone, INT64_MAX, false, NULL), 0);
        assert_int_equal(c.zones, self.child_end - self.child_begin);
        assert_int_equal(td_ref_valid(c.longest), c.zones > 0);
        uint64_t count = 0;
        for (size_t g = 0; g < c.count; g++) {
            uint64_t same = 0;
            int64_t total = 0, longest = -1;
            for (size_t k = self.child_begin; k < self.child_end; k++) {
                struct td_zone child = at(trace, (struct td_zone_ref){zone.track, zone.row + 1, k});
                if (strcmp(td_zone_label(dict, &child), c.group[g].name))
                    continue;
                int64_t length = child.end_ns - child.start_ns;
                same++;
                total += length;
                longest = length > longest ? length : longest;
            }
            assert_true(c.group[g].count == same && c.group[g].total_ns == total);
            assert_int_equal(c.group[g].longest_ns, longest);
            const struct td_zone far = at(trace, c.group[g].longest), most = at(trace, c.longest);
            assert_int_equal(far.end_ns - far.start_ns, longest);
            assert_true(most.end_ns - most.start_ns >= longest);
            assert_true(!g || c.group[g - 1].total_ns >= total);
            count += same;
        }
        assert_int_equal(count, c.zones);
        td_children_free(&c);
    }
    free(all.list);
    td_trace_destroy(trace);
}

/* The self times of all descendants and the zone's own add up to its length. */
static void all_levels_share_out_the_time_of_a_zone(void **state)
{
    struct td_trace *trace = demo_trace(2);
    struct every_zone all = all_zones(trace);
    for (size_t i = 0; i < all.count; i++) {
        struct td_children direct, deep;
        assert_int_equal(td_children_make(&direct, trace, all.list[i], INT64_MAX, false, NULL), 0);
        assert_int_equal(td_children_make(&deep, trace, all.list[i], INT64_MAX, true, NULL), 0);
        assert_int_equal(deep.total_ns, direct.total_ns);
        assert_true(deep.zones >= direct.zones && td_ref_equal(deep.longest, direct.longest));
        td_children_free(&direct);
        td_children_free(&deep);
    }
    free(all.list);
    td_trace_destroy(trace);
}

/* ---- the panel ---- */

static int setup(void **state)
{
    static struct fixture f;
    return open_offscreen(state, &f, demo_trace(2), 1200, 560);
}

static void select_first(struct fixture *f, const char *name)
{
    td_view_search(&f->view, name);
    td_view_select(&f->view, TD_NO_ZONE);
    td_view_next_match(&f->view, true);
    settle(f);
}

static const char *selected_name(struct fixture *f)
{
    struct td_zone zone = td_view_zone(&f->view, f->view.selection.zone);
    return td_zone_label(f->view.model.dict, &zone);
}

static void keys_lead_to_parent_child_and_neighbours(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    select_first(f, "load kernels");
    press(f, 'u');
    assert_string_equal(selected_name(f), "launch");
    press(f, TD_KEY_ENTER);
    assert_string_equal(selected_name(f), "await cores");
    struct td_zone_ref first = f->view.selection.zone;
    press(f, '.');
    assert_string_equal(selected_name(f), "await cores");
    assert_true(f->view.selection.zone.index > first.index && f->view.selection.zone.track == first.track);
    press(f, ',');
    assert_true(td_ref_equal(f->view.selection.zone, first));
    press(f, ',');
    assert_true(td_ref_equal(f->view.selection.zone, first)); /* there is none before it */
    press(f, 'u');
    press(f, 'u');
    assert_string_equal(selected_name(f), "main");
    press(f, 'u');
    assert_string_equal(selected_name(f), "main");
}

static void back_and_forward_restore_selection_and_range(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    select_first(f, "verify");
    view->history = (struct td_history){0};
    settle(f);
    struct td_history_place places[4];
    for (int i = 0; i < 4; i++) {
        places[i] =
            (struct td_history_place){view->selection.zone, view->camera.to_start_ns, view->camera.to_end_ns};
        if (i == 0)
            press(f, '.');
        else if (i == 1)
            press(f, 'w');
        else if (i == 2)
            press(f, 'u');
    }
    assert_int_equal(view->history.count, 4);
    for (int i = 2; i >= -1; i--) {
        press(f, TD_KEY_BACKSPACE);
        const struct td_history_place *p = &places[i < 0 ? 0 : i];
        assert_true(td_ref_equal(view->selection.zone, p->selected));
        assert_true(fabs(view->camera.to_start_ns - p->start_ns) < 2000 &&
                    fabs(view->camera.to_end_ns - p->end_ns) < 2000);
    }
    for (int i = 1; i < 5; i++) {
        press_with(f, (struct td_key_press){.key = TD_KEY_RIGHT, .alt = true});
        const struct td_history_place *p = &places[i < 4 ? i : 3];
        assert_true(td_ref_equal(view->selection.zone, p->selected));
        assert_true(fabs(view->camera.to_start_ns - p->start_ns) < 2000);
    }
    /* A new place after going back forgets what was ahead. */
    press_with(f, (struct td_key_press){.key = TD_KEY_LEFT, .alt = true});
    press_with(f, (struct td_key_press){.key = TD_KEY_LEFT, .alt = true});
    press(f, ',');
    press_with(f, (struct td_key_press){.key = TD_KEY_RIGHT, .alt = true});
    assert_int_equal(view->history.at, view->history.count - 1);
}

static void copying_puts_all_sections_into_the_clipboard(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    select_first(f, "load kernels");
    press(f, 'u');
    press_with(f, (struct td_key_press){.key = 'c', .ctrl = true, .shift = true});
    char *text = SDL_GetClipboardText();
    assert_string_equal(text, "launch");
    SDL_free(text);
    press_with(f, (struct td_key_press){.key = 'c', .ctrl = true});
    text = SDL_GetClipboardText();
    static const char *const parts[] = {"launch\n",
                                        "source\tmatmul.c:140",
                                        "thread\tMain thread",
                                        "duration\t1.480 ms",
                                        "longer than\t",
                                        "Parents",
                                        "main\t",
                                        "Children",
                                        "await cores\t1 x  91.9 %\t1.360 ms",
                                        "Messages in it",
                                        "launch 0: 4 tiles"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_non_null(strstr(text, parts[i]));
    SDL_free(text);
    select_first(f, "load kernels");
    press_with(f, (struct td_key_press){.key = 'c', .ctrl = true});
    text = SDL_GetClipboardText();
    assert_non_null(strstr(text, "Flows"));
    SDL_free(text);
    /* Also while the panel is closed, and another one has the keyboard that has nothing to copy. */
    td_panel_set_open(&f->view, TD_PANEL_DETAILS, false);
    td_panel_set_open(&f->view, TD_PANEL_NOTES, true);
    SDL_SetClipboardText("");
    press_with(f, (struct td_key_press){.key = 'c', .ctrl = true});
    text = SDL_GetClipboardText();
    assert_non_null(strstr(text, "Flows"));
    SDL_free(text);
    td_panel_set_open(&f->view, TD_PANEL_NOTES, false);
    td_panel_set_open(&f->view, TD_PANEL_DETAILS, true);
}

/* What the panel says of the selected zone. */
static char *copied(struct fixture *f)
{
    settle(f);
    press_with(f, (struct td_key_press){.key = 'c', .ctrl = true});
    return SDL_GetClipboardText();
}

static void messages_and_children_are_listed_apart(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct details *s = td_panel_state(&f->view, TD_PANEL_DETAILS);
    select_first(f, "load kernels");
    press(f, 'u');
    s->excludes_children = s->single = true;
    char *text = copied(f); /* of a launch, whose message comes before its children */
    assert_non_null(strstr(text, "Messages in it\nlaunch 0: 4 tiles"));
    assert_non_null(strstr(text, "load kernels\t+20.00 \302\265s  5.4 %\t80.00 \302\265s\n"));
    SDL_free(text);
    press(f, 'u');
    text = copied(f);
    assert_non_null(strstr(text, "all are in its children"));
    assert_null(strstr(text, "launch 0: 4 tiles"));
    const char *second = strstr(text, "launch\t+");
    assert_true(second && strstr(second + 1, "launch\t+"));
    SDL_free(text);
    s->excludes_children = s->single = false;
    text = copied(f);
    assert_non_null(strstr(text, "launch 0: 4 tiles"));
    assert_null(strstr(text, "launch\t+"));
    SDL_free(text);
}

static void the_place_among_the_zones_of_a_name_is_shown(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    select_first(f, "multiply");
    const struct details *s = td_panel_state(&f->view, TD_PANEL_DETAILS);
    assert_string_equal(s->set.shown_as.name, "multiply");
    assert_int_equal(s->set.shown.count, td_matches_count(f->view.find.matches));
    assert_true(td_instances_find(&s->set.shown, f->view.selection.zone) != SIZE_MAX);
}

static void any_size_of_the_details_is_drawn(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    select_first(f, "load kernels");
    press(f, 'u');
    for (float size = 10; size < 600; size *= 1.8f) {
        td_ui_begin(f->ui);
        td_ui_region_begin(f->ui, "narrow", 0, 0, size, size, 0, TD_LAYER_BASE);
        td_panel_details.draw(&f->view, &(struct td_rect){0, 0, size, size});
        td_ui_region_end(f->ui);
        td_ui_end(f->ui);
    }
    assert_true(td_ui_triangles(f->ui) > 0);
}

/* Also of the first zone of the first track, before any other was selected. */
static void the_first_zone_has_its_children(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    const struct td_zone zone = td_trace_zone(f->trace, 0, 0, 0);
    td_view_select(&f->view, (struct td_zone_ref){0, 0, 0});
    for (int i = 0; i < 200 && (!i || td_panels_busy(&f->view)); i++) {
        td_ui_poll(f->ui, 5);
        td_ui_begin(f->ui);
        td_view_frame(&f->view);
        td_ui_end(f->ui);
    }
    const struct details *s = f->view.panels.slot[TD_PANEL_DETAILS].state;
    uint64_t count = 0;
    for (size_t i = 0; i < s->children.count; i++)
        count += s->children.group[i].count;
    assert_true(zone.child_end > zone.child_begin);
    assert_int_equal(count, zone.child_end - zone.child_begin);
}

int main(void)
{
    const struct CMUnitTest plain[] = {
        cmocka_unit_test(the_parent_is_the_zone_whose_children_contain_it),
        cmocka_unit_test(the_next_of_a_name_is_the_nearest_in_its_track),
        cmocka_unit_test(children_are_grouped_by_name),
        cmocka_unit_test(all_levels_share_out_the_time_of_a_zone),
    };
    const struct CMUnitTest drawn[] = {
        cmocka_unit_test(the_first_zone_has_its_children),
        cmocka_unit_test(keys_lead_to_parent_child_and_neighbours),
        cmocka_unit_test(back_and_forward_restore_selection_and_range),
        cmocka_unit_test(copying_puts_all_sections_into_the_clipboard),
        cmocka_unit_test(messages_and_children_are_listed_apart),
        cmocka_unit_test(the_place_among_the_zones_of_a_name_is_shown),
        cmocka_unit_test(any_size_of_the_details_is_drawn),
    };
    int failed = cmocka_run_group_tests(plain, NULL, NULL);
    return failed + cmocka_run_group_tests(drawn, setup, teardown);
}
