/* Tabs of regions, the manual, and the panel of options, in a window. Skipped without OpenGL or a mouse. */
#include "host/viewer/drive/commands.h"
#include "host/viewer/timeline/menu.h"
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/region_tabs.h"
#include "tests/query/demo_trace.h"
#include "tests/viewer/mouse.h"

#include <string.h>

extern const unsigned char td_manual_text[];

static int setup(void **state)
{
    static struct fixture f;
    return open_window(state, &f, demo_trace(1), 1100, 600);
}

static void click_at(struct fixture *f, float x, float y, Uint8 button)
{
    move_mouse(f, x, y);
    hold_button(f, button);
    hold_button(f, 0);
}

/* The widths of tabs and groups, as region_tabs.c has them. */
static float tab_width(struct fixture *f, const char *title)
{
    return td_ui_text_width(f->ui, TD_FONT_TEXT, title) + 16;
}

static void groups_and_their_tabs_are_clicked(void **state)
{
    struct fixture *f = *state;
    if (!f || !has_mouse(f))
        return;
    const struct td_region *region = &f->view.panels.region[TD_REGION_BOTTOM];
    run(f, "open messages");
    settle(f);
    const float left = region->place.left, y = region->place.top + 14;
    click_at(f, left + 14, y, SDL_BUTTON_LEFT); /* the group Zones */
    assert_int_equal(region->current, TD_PANEL_STATISTICS);
    click_at(f, left + 31 + tab_width(f, "Zones") + 10, y, SDL_BUTTON_LEFT);
    assert_int_equal(region->current, TD_PANEL_INSTANCES);
    run(f, "open locks");
    settle(f);
    click_at(f, left + 14, y, SDL_BUTTON_LEFT); /* the tab that was shown last in the group */
    assert_int_equal(region->current, TD_PANEL_INSTANCES);
    click_at(f, region->place.right - 13, y, SDL_BUTTON_LEFT);
    assert_false(region->open);
}

static void every_panel_fits_into_the_row_of_its_region(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    for (int r = 0; r < TD_REGION_COUNT; r++)
        for (int g = 0; g < TD_GROUP_COUNT; g++) {
            const float least[] = {
                [TD_REGION_LEFT] = 330, [TD_REGION_BOTTOM] = 1100, [TD_REGION_RIGHT] = 340};
            float wide = 26;
            bool groups[TD_GROUP_COUNT] = {false};
            for (int i = 0; i < TD_PANEL_COUNT; i++)
                if (td_region_has(&f->view, r, i)) {
                    wide += groups[td_panels[i]->group] ? 0 : 31;
                    groups[td_panels[i]->group] = true;
                    wide += (int)td_panels[i]->group == g ? tab_width(f, td_panels[i]->title) : 0;
                }
            assert_true(!groups[g] || wide <= least[r]);
        }
}

static void a_tab_is_moved_to_another_edge(void **state)
{
    struct fixture *f = *state;
    if (!f || !has_mouse(f))
        return;
    struct td_view *view = &f->view;
    struct td_err err = {0};
    run(f, "open lanes; dock lanes right");
    assert_true(td_region_of(view, TD_PANEL_LANES) == &view->panels.region[TD_REGION_RIGHT]);
    assert_true(td_panel_is_open(view, TD_PANEL_LANES));
    assert_int_not_equal(view->panels.region[TD_REGION_BOTTOM].current, TD_PANEL_LANES);
    assert_int_equal(td_view_command_line(view, "dock lanes up", &err), TD_E_USAGE);
    run(f, "open chip; dock chip bottom"); /* the last one of its region */
    assert_false(view->panels.region[TD_REGION_LEFT].open);
    settle(f);
    press_key(f, SDLK_F9, 0);
    assert_false(view->panels.region[TD_REGION_LEFT].open);
    /* The same by the menu of the tab. */
    run(f, "dock chip left; dock lanes bottom; open statistics; close lanes; open statistics");
    settle(f);
    const struct td_rect place = view->panels.region[TD_REGION_BOTTOM].place;
    click_at(f, place.left + 31 + 10, place.top + 14, SDL_BUTTON_RIGHT);
    assert_true(td_panel_is_open(view, TD_PANEL_MENU));
    const struct td_menu *menu = td_panel_state(view, TD_PANEL_MENU);
    assert_string_equal(menu->entries[0].text, "Zones");
    click_at(f, menu->left + 40, menu->top + 24 + 12, SDL_BUTTON_LEFT);
    assert_true(td_region_of(view, TD_PANEL_STATISTICS) == &view->panels.region[TD_REGION_LEFT]);
    run(f, "dock statistics bottom; close statistics; close chip");
}

static void a_tab_is_dragged_to_another_edge(void **state)
{
    struct fixture *f = *state;
    if (!f || !has_mouse(f))
        return;
    struct td_view *view = &f->view;
    run(f, "open statistics");
    settle(f);
    const struct td_rect place = view->panels.region[TD_REGION_BOTTOM].place;
    move_mouse(f, place.left + 41, place.top + 14);
    hold_button(f, SDL_BUTTON_LEFT);
    move_mouse(f, place.left + 60, 200); /* to the left edge, which shows nothing */
    assert_true(view->panels.drag.moves);
    hold_button(f, 0);
    assert_true(td_region_of(view, TD_PANEL_STATISTICS) == &view->panels.region[TD_REGION_LEFT]);
    assert_true(td_panel_is_open(view, TD_PANEL_STATISTICS));
    /* Back into the region itself, which another tab shows. */
    run(f, "open locks");
    settle(f);
    const struct td_rect left = view->panels.region[TD_REGION_LEFT].place;
    float x = left.left + 6;
    for (; x < left.right && !view->panels.drag.tab; x += 12) {
        move_mouse(f, x, left.top + 14);
        hold_button(f, SDL_BUTTON_LEFT);
        if (!view->panels.drag.tab)
            hold_button(f, 0);
    }
    const int dragged = view->panels.drag.tab - 1;
    const struct td_rect bottom = view->panels.region[TD_REGION_BOTTOM].place;
    move_mouse(f, bottom.left + 500, bottom.top + 100);
    hold_button(f, 0);
    assert_true(dragged >= 0);
    assert_true(td_region_of(view, dragged) == &view->panels.region[TD_REGION_BOTTOM]);
    run(f, "arrange; close locks; close chip; close lanes");
    assert_true(td_region_of(view, TD_PANEL_STATISTICS) == &view->panels.region[TD_REGION_BOTTOM]);
}

static void edges_are_swapped_filled_and_kept(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    struct td_err err = {0};
    run(f, "open statistics; open details; swap bottom right");
    assert_true(td_region_of(view, TD_PANEL_STATISTICS) == &view->panels.region[TD_REGION_RIGHT]);
    assert_true(td_region_of(view, TD_PANEL_DETAILS) == &view->panels.region[TD_REGION_BOTTOM]);
    assert_true(td_panel_is_open(view, TD_PANEL_STATISTICS) && td_panel_is_open(view, TD_PANEL_DETAILS));
    assert_int_equal(td_view_command_line(view, "swap bottom top", &err), TD_E_USAGE);
    view->choices.own.regions.size[TD_REGION_RIGHT] = 500;
    settle(f);
    assert_true(view->panels.region[TD_REGION_RIGHT].place.left ==
                view->panels.region[TD_REGION_RIGHT].place.right - 500);

    /* Another start with these settings. */
    struct td_settings again = {0};
    cJSON *object = td_settings_to_json(&view->choices.own);
    assert_int_equal(td_settings_from_json(&again, object, &err), 0);
    cJSON_Delete(object);
    assert_memory_equal(&again.regions, &view->choices.own.regions, sizeof again.regions);
    run(f, "arrange");
    assert_true(td_region_of(view, TD_PANEL_STATISTICS) == &view->panels.region[TD_REGION_BOTTOM]);
    view->choices.shared = &again;
    settle(f);
    assert_true(td_region_of(view, TD_PANEL_STATISTICS) == &view->panels.region[TD_REGION_RIGHT]);
    assert_true(view->panels.region[TD_REGION_RIGHT].size == 500);
    view->choices.shared = NULL;

    run(f, "fill messages");
    settle(f);
    const struct td_rect *all = &view->panels.slot[TD_PANEL_MESSAGES].place;
    assert_true(all->right - all->left == 1100 && all->bottom == 600 && all->top < 120);
    run(f, "open details"); /* another edge */
    settle(f);
    assert_int_equal(view->panels.filled, 0);
    run(f, "arrange; close statistics; close details; close messages");
}

static void a_hint_is_shown_for_five_minutes_or_until_it_is_turned_off(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    struct td_settings settings = {0};
    settle(f);
    assert_false(td_panel_is_open(view, TD_PANEL_HINT)); /* a picture */
    const float bottom = view->area.bottom;
    view->choices.shared = &settings;
    settle(f);
    assert_true(td_panel_is_open(view, TD_PANEL_HINT));
    assert_true(view->area.bottom == bottom - 24);
    view->panels.begun_ms -= 301000;
    assert_false(td_panel_is_open(view, TD_PANEL_HINT));
    view->panels.begun_ms += 301000;
    if (has_mouse(f))
        click_at(f, 1100 - 40, 600 - 12, SDL_BUTTON_LEFT);
    else
        run(f, "set hints hidden");
    assert_int_equal(settings.choices[TD_CHOICE_HINTS], 1);
    settle(f);
    assert_false(td_panel_is_open(view, TD_PANEL_HINT));
    assert_true(view->area.bottom == bottom);
    view->choices.shared = NULL;
}

static void panels_say_what_the_trace_lacks(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    const struct td_view *view = &f->view;
    run(f, "select");
    assert_non_null(td_panels[TD_PANEL_LOCKS]->lacks(view));
    assert_non_null(td_panels[TD_PANEL_MEMORY]->lacks(view));
    assert_non_null(td_panels[TD_PANEL_DETAILS]->lacks(view));
    assert_null(td_panels[TD_PANEL_STATISTICS]->lacks(view));
    assert_null(td_panels[TD_PANEL_LANES]->lacks(view));
    assert_null(td_panels[TD_PANEL_MESSAGES]->lacks(view));
    assert_non_null(td_panels[TD_PANEL_CONNECTION]->lacks(view));
    assert_true(td_lacks_switches(view));
    run(f, "find main; next");
    assert_null(td_panels[TD_PANEL_DETAILS]->lacks(view));
    run(f, "find; select; close details; open locks; close locks");
}

static void every_panel_has_a_page_of_the_manual(void **state)
{
    const char *text = (const char *)td_manual_text;
    for (int i = 0; i < TD_PANEL_COUNT; i++) {
        char head[200];
        if (td_panels[i]->title)
            assert_non_null(td_panels[i]->page);
        snprintf(head, sizeof head, "\n## %s\n", td_panels[i]->page ? td_panels[i]->page : "");
        if (td_panels[i]->page && !strstr(text, head))
            fail_msg("the manual has no section '%s'", td_panels[i]->page);
    }
    struct fixture *f = *state;
    if (!f)
        return;
    run(f, "open statistics");
    press_key(f, SDLK_F1, 0);
    assert_true(td_panel_is_open(&f->view, TD_PANEL_MANUAL));
    press_key(f, SDLK_HOME, 0); /* all of it can be drawn */
    press_key(f, SDLK_ESCAPE, 0);
    assert_false(td_panel_is_open(&f->view, TD_PANEL_MANUAL));
    run(f, "close statistics");
}

/* The tooltip is split into its parts where it is drawn. */
static bool tip_has(const struct td_view *view, const char *word)
{
    return memmem(view->hover.tip, sizeof view->hover.tip, word, strlen(word)) != NULL;
}

static void labels_and_the_ruler_have_tooltips(void **state)
{
    struct fixture *f = *state;
    if (!f || !has_mouse(f))
        return;
    struct td_view *view = &f->view;
    int node = 0;
    while (view->layout.nodes[node].kind != TD_NODE_TRACK)
        node++;
    run(f, "fit");
    move_mouse(f, 70, td_view_node_y(view, &view->layout.nodes[node]) + 6);
    assert_true(tip_has(view, "thread"));
    assert_true(tip_has(view, "zones"));
    assert_true(tip_has(view, "ended"));
    move_mouse(f, view->area.left + 300, view->area.pins_top - 8);
    char time[TD_FORMAT_BYTES];
    td_format_time(time, td_view_time(view, td_ui_mouse_x(f->ui)), 1);
    assert_memory_equal(view->hover.tip, time, strlen(time));
    /* A closed group, over its cells. */
    run(f, "collapse");
    int group = 0;
    while (!view->layout.nodes[group].collapsed || view->layout.nodes[group].height <= 0)
        group++;
    float x = view->area.left;
    const float y = td_view_node_y(view, &view->layout.nodes[group]) + 8;
    for (; x < view->area.right && !tip_has(view, "(closed)"); x += 60)
        move_mouse(f, x, y);
    assert_true(tip_has(view, "(closed)") && tip_has(view, "busy"));
    run(f, "expand");
}

static void options_are_check_boxes_and_lists(void **state)
{
    struct fixture *f = *state;
    if (!f || !has_mouse(f))
        return;
    struct td_view *view = &f->view;
    run(f, "open options");
    settle(f);
    const struct td_rect place = view->panels.slot[TD_PANEL_OPTIONS].place;
    /* Search field, a section's title, then the first option, which is a list. */
    const float first = place.top + 12 + 26 + 8 + 28 + 14;
    click_at(f, place.right - 60, first, SDL_BUTTON_LEFT);
    assert_true(td_panel_is_open(view, TD_PANEL_MENU));
    const struct td_menu *menu = td_panel_state(view, TD_PANEL_MENU);
    assert_int_equal(menu->count, 3);
    assert_int_equal(menu->entries[0].mark, TD_MENU_ON);
    click_at(f, menu->left + 40, menu->top + 24 + 12, SDL_BUTTON_LEFT);
    assert_int_equal(td_view_choice(view, TD_CHOICE_TIMES), 1);
    run(f, "set times short");

    click_at(f, place.left + 60, place.top + 12 + 13, SDL_BUTTON_LEFT);
    SDL_Event event = {.text = {.type = SDL_TEXTINPUT}};
    for (const char *c = "empty tracks"; *c; c++) {
        snprintf(event.text.text, sizeof event.text.text, "%c", *c);
        SDL_PushEvent(&event);
    }
    settle(f);
    click_at(f, place.left + 60, first, SDL_BUTTON_LEFT); /* the only one, a check box */
    assert_int_equal(td_view_choice(view, TD_CHOICE_EMPTY), 1);
    run(f, "set empty shown; close options");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_and_their_tabs_are_clicked),
        cmocka_unit_test(every_panel_fits_into_the_row_of_its_region),
        cmocka_unit_test(a_tab_is_moved_to_another_edge),
        cmocka_unit_test(a_tab_is_dragged_to_another_edge),
        cmocka_unit_test(edges_are_swapped_filled_and_kept),
        cmocka_unit_test(a_hint_is_shown_for_five_minutes_or_until_it_is_turned_off),
        cmocka_unit_test(panels_say_what_the_trace_lacks),
        cmocka_unit_test(every_panel_has_a_page_of_the_manual),
        cmocka_unit_test(labels_and_the_ruler_have_tooltips),
        cmocka_unit_test(options_are_check_boxes_and_lists),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
