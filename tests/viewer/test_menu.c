/* Menus of the right button, and the palette: in a window, as a user opens them. Skipped without OpenGL or a mouse. */
#include "host/viewer/drive/commands.h"
#include "host/viewer/drive/fuzzy.h"
#include "host/viewer/timeline/menu.h"
#include "host/viewer/timeline/navigate.h"
#include "tests/query/demo_trace.h"
#include "tests/viewer/mouse.h"

#include <string.h>

static int setup(void **state)
{
    static struct fixture f;
    return open_window(state, &f, demo_trace(1), 800, 520);
}

static struct td_menu *menu_of(struct fixture *f)
{
    return td_panel_state(&f->view, TD_PANEL_MENU);
}

static bool menu_is_open(struct fixture *f)
{
    return td_panel_is_open(&f->view, TD_PANEL_MENU);
}

static void click(struct fixture *f, Uint8 button)
{
    hold_button(f, button);
    hold_button(f, 0);
}

/* The number of the entry of that text; fails without one. */
static int entry_of(struct fixture *f, const char *text)
{
    const struct td_menu *menu = menu_of(f);
    assert_true(menu_is_open(f));
    for (int i = 0; i < menu->count; i++)
        if (!strcmp(menu->entries[i].text, text))
            return i;
    for (int i = 0; i < menu->count; i++)
        print_message("%s\n", menu->entries[i].text);
    fail_msg("the menu has no entry '%s'", text);
    return -1;
}

static void choose(struct fixture *f, const char *text)
{
    const struct td_menu *menu = menu_of(f);
    const int number = entry_of(f, text);
    move_mouse(f, menu->left + menu->column * ((float)(number / menu->rows) + .5f),
               menu->top + 24 * (float)(number % menu->rows) + 12);
    assert_int_equal(menu->chosen, number);
    click(f, SDL_BUTTON_LEFT);
}

/* To the middle of the zone of that name. */
static struct td_zone_ref point_at(struct fixture *f, const char *name)
{
    struct td_view *view = &f->view;
    float y;
    run(f, "fit; select; close details");
    td_view_search(view, name);
    td_driver_settle(view);
    td_view_next_match(view, true);
    const struct td_zone_ref ref = view->selection.zone;
    assert_true(td_ref_valid(ref));
    const struct td_zone zone = td_view_zone(view, ref);
    td_view_search(view, "");
    run(f, "select; close details");
    settle(f);
    assert_true(td_view_zone_y(view, ref, &y));
    move_mouse(f, td_view_x(view, (double)(zone.start_ns + zone.end_ns) / 2), y + 8);
    assert_true(td_ref_equal(view->hover.zone, ref));
    return ref;
}

static void a_zone_has_a_menu(void **state)
{
    struct fixture *f = *state;
    if (!f || !has_mouse(f))
        return;
    struct td_view *view = &f->view;
    const struct td_zone_ref ref = point_at(f, "main");
    const struct td_zone zone = td_view_zone(view, ref);
    click(f, SDL_BUTTON_RIGHT);
    assert_true(menu_is_open(f));
    assert_false(td_ref_valid(view->selection.zone)); /* it selects nothing yet */
    choose(f, "Mark its time");
    assert_false(menu_is_open(f));
    assert_true(view->selection.measured && view->selection.measure_from_ns == (double)zone.start_ns &&
                view->selection.measure_to_ns == (double)zone.end_ns);
    run(f, "mark; zoom 0ns..1us; fit");

    point_at(f, "main");
    click(f, SDL_BUTTON_RIGHT);
    choose(f, "Count only its time");
    assert_int_equal(view->selection.limit, TD_LIMIT_MARKED);
    run(f, "limit all; mark");

    point_at(f, "main");
    click(f, SDL_BUTTON_RIGHT);
    choose(f, "Copy the name");
    char *text = SDL_GetClipboardText();
    assert_string_equal(text, "main");
    SDL_free(text);

    point_at(f, "main");
    click(f, SDL_BUTTON_RIGHT);
    choose(f, "All zones of this name");
    assert_true(td_panel_is_open(view, TD_PANEL_INSTANCES));
    assert_true(td_ref_equal(view->selection.zone, ref));
    run(f, "close instances; select");

    point_at(f, "main");
    click(f, SDL_BUTTON_RIGHT);
    choose(f, "Note on it ...");
    assert_int_equal(view->notes.count, 1);
    assert_int_equal(view->notes.list[0].from_ns, zone.start_ns);
    assert_true(td_panel_is_open(view, TD_PANEL_NOTES));
    settle(f);
    press_key(f, SDLK_ESCAPE, 0);
    run(f, "close notes; select");
}

static void a_marked_range_has_a_menu(void **state)
{
    struct fixture *f = *state;
    if (!f || !has_mouse(f))
        return;
    struct td_view *view = &f->view;
    run(f, "fit; mark 1ms..2ms");
    move_mouse(f, td_view_x(view, 1.5e6), view->area.pins_top - 10); /* on the ruler */
    click(f, SDL_BUTTON_RIGHT);
    assert_true(view->selection.measured); /* the click has not begun another one */
    choose(f, "Statistics of its zones");
    assert_int_equal(view->selection.limit, TD_LIMIT_MARKED);
    assert_true(td_panel_is_open(view, TD_PANEL_STATISTICS));
    run(f, "close statistics; limit all");
    move_mouse(f, td_view_x(view, 1.5e6), view->area.pins_top - 10);
    click(f, SDL_BUTTON_RIGHT);
    choose(f, "Zoom to it");
    assert_true(fabs(view->camera.to_start_ns - 1e6) < 1 && fabs(view->camera.to_end_ns - 2e6) < 1);
    run(f, "fit");
    move_mouse(f, td_view_x(view, 1.5e6), view->area.pins_top - 10);
    click(f, SDL_BUTTON_RIGHT);
    choose(f, "Mark nothing");
    assert_false(view->selection.measured);
}

static int track_node(struct fixture *f, int skip)
{
    int node = 0;
    while (f->view.layout.nodes[node].kind != TD_NODE_TRACK || skip-- > 0)
        node++;
    return node;
}

static void open_label_menu(struct fixture *f, int node)
{
    move_mouse(f, 70, td_view_node_y(&f->view, &f->view.layout.nodes[node]) + 6);
    click(f, SDL_BUTTON_RIGHT);
}

static void a_label_has_a_menu(void **state)
{
    struct fixture *f = *state;
    if (!f || !has_mouse(f))
        return;
    struct td_view *view = &f->view;
    const int node = track_node(f, 0);
    open_label_menu(f, node);
    choose(f, "Pin above the others");
    assert_true(view->layout.nodes[node].pinned);
    run(f, "unpin");
    open_label_menu(f, node);
    choose(f, "Hide this row");
    assert_true(view->layout.nodes[node].hidden);
    run(f, "show");
    open_label_menu(f, node);
    choose(f, "Only this row");
    for (int i = 0; i < view->layout.count; i++)
        assert_true(view->layout.nodes[i].kind == TD_NODE_GROUP ||
                    view->layout.nodes[i].hidden == (i != node));
    open_label_menu(f, node);
    choose(f, "Show all rows");
    assert_int_equal(view->lanes.hidden_rows, 0);
    const bool closed = view->layout.nodes[node].collapsed;
    open_label_menu(f, node);
    choose(f, closed ? "Open" : "Close");
    assert_true(view->layout.nodes[node].collapsed != closed);
    open_label_menu(f, node);
    choose(f, closed ? "Close" : "Open");
    assert_true(view->layout.nodes[node].collapsed == closed);
}

/* The tracks of the timeline, in its order. */
static int list_tracks(struct fixture *f, uint32_t tracks[256])
{
    int count = 0;
    for (int i = 0; i < f->view.layout.count && count < 256; i++)
        if (f->view.layout.nodes[i].kind == TD_NODE_TRACK)
            tracks[count++] = f->view.layout.nodes[i].number;
    return count;
}

static void rows_are_moved_among_their_siblings(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    uint32_t before[256], after[256];
    const int count = list_tracks(f, before);
    int a = 0; /* a track whose next one is in the same group */
    while (f->view.layout.nodes[td_layout_track_node(&f->view.layout, before[a])].parent !=
           f->view.layout.nodes[td_layout_track_node(&f->view.layout, before[a + 1])].parent)
        a++;
    char line[60];
    snprintf(line, sizeof line, "move #%u down", before[a]);
    run(f, line);
    assert_int_equal(list_tracks(f, after), count);
    assert_int_equal(after[a], before[a + 1]);
    assert_int_equal(after[a + 1], before[a]);
    snprintf(line, sizeof line, "move #%u up", before[a]);
    run(f, line);
    list_tracks(f, after);
    assert_memory_equal(before, after, (size_t)count * sizeof *before);
    struct td_err err = {0};
    snprintf(line, sizeof line, "move #%u sideways", before[a]);
    assert_int_equal(td_view_command_line(&f->view, line, &err), TD_E_USAGE);
    run(f, "order");
}

static void a_row_of_a_list_has_a_menu(void **state)
{
    struct fixture *f = *state;
    if (!f || !has_mouse(f))
        return;
    struct td_view *view = &f->view;
    run(f, "open statistics");
    settle(f);
    td_driver_settle(view);
    const struct td_rect place = view->panels.slot[TD_PANEL_STATISTICS].place;
    move_mouse(f, place.left + 60, place.top + 30 + 26 + 12);
    click(f, SDL_BUTTON_RIGHT);
    entry_of(f, "Copy the line");
    choose(f, "Find it in the timeline");
    assert_true(view->find.active);
    run(f, "find");
    move_mouse(f, place.left + 60, place.top + 30 + 26 + 12);
    click(f, SDL_BUTTON_RIGHT);
    choose(f, "Copy CSV");
    char *text = SDL_GetClipboardText();
    assert_non_null(strchr(text, ','));
    SDL_free(text);
    move_mouse(f, place.left + 60, place.top + 30 + 26 + 12);
    click(f, SDL_BUTTON_RIGHT);
    assert_int_equal(menu_of(f)->entries[entry_of(f, "Mean")].mark, TD_MENU_ON);
    press_key(f, SDLK_ESCAPE, 0);
    assert_false(menu_is_open(f));
    run(f, "column statistics Mean");
    click(f, SDL_BUTTON_RIGHT);
    assert_int_equal(menu_of(f)->entries[entry_of(f, "Mean")].mark, TD_MENU_OFF);
    press_key(f, SDLK_ESCAPE, 0);
    run(f, "column statistics Mean; close statistics");
}

static void the_keyboard_alone_opens_a_menu_and_chooses(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    run(f, "fit; find main; next");
    press_key(f, SDLK_F10, KMOD_LSHIFT);
    const int mark = entry_of(f, "Mark its time");
    for (int i = 0; i < 20 && menu_of(f)->chosen != mark; i++)
        press_key(f, SDLK_DOWN, 0);
    assert_int_equal(menu_of(f)->chosen, mark);
    press_key(f, SDLK_RETURN, 0);
    assert_true(view->selection.measured && !menu_is_open(f));
    run(f, "mark; find; select; close details");
    run(f, "menu bar");
    for (int i = 0; i < 20 && strcmp(menu_of(f)->entries[menu_of(f)->chosen].text, "Rows") != 0; i++)
        press_key(f, SDLK_DOWN, 0);
    press_key(f, SDLK_RIGHT, 0); /* a menu in the place of the first */
    entry_of(f, "Ghost zones");
    press_key(f, SDLK_ESCAPE, 0);
    assert_false(menu_is_open(f));
}

static void a_click_beside_a_menu_only_closes_it(void **state)
{
    struct fixture *f = *state;
    if (!f || !has_mouse(f))
        return;
    point_at(f, "main");
    const float x = td_ui_mouse_x(f->ui), y = td_ui_mouse_y(f->ui);
    run(f, "menu bar");
    menu_of(f)->x = x < 400 ? 600 : 0;
    menu_of(f)->y = 300;
    move_mouse(f, x, y);
    click(f, SDL_BUTTON_LEFT);
    assert_false(menu_is_open(f));
    assert_false(td_ref_valid(f->view.selection.zone));
}

static void type(struct fixture *f, const char *text)
{
    SDL_Event event = {.text = {.type = SDL_TEXTINPUT}};
    for (; *text; text++) {
        snprintf(event.text.text, sizeof event.text.text, "%c", *text);
        SDL_PushEvent(&event);
    }
    settle(f);
}

/* A text field looks at the key while it is down. */
static void press_enter(struct fixture *f)
{
    SDL_Event event = {.key = {.type = SDL_KEYDOWN, .state = SDL_PRESSED}};
    event.key.keysym.sym = SDLK_RETURN;
    event.key.keysym.scancode = SDL_SCANCODE_RETURN;
    SDL_PushEvent(&event);
    settle(f);
    event.type = SDL_KEYUP;
    event.key.state = SDL_RELEASED;
    SDL_PushEvent(&event);
    settle(f);
}

static void the_palette_finds_by_parts_of_names(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    press_key(f, SDLK_p, KMOD_CTRL);
    assert_true(td_panel_is_open(view, TD_PANEL_PALETTE));
    type(f, "opmem"); /* no name: its first letters and others */
    type(f, "ory");
    press_key(f, SDLK_ESCAPE, 0);
    assert_false(td_panel_is_open(view, TD_PANEL_PALETTE));

    press_key(f, SDLK_p, KMOD_CTRL);
    type(f, "instan");
    press_enter(f);
    assert_true(td_panel_is_open(view, TD_PANEL_INSTANCES));
    run(f, "close instances");

    press_key(f, SDLK_p, KMOD_CTRL);
    type(f, "coloursligh");
    press_enter(f);
    assert_int_equal(td_view_choice(view, TD_CHOICE_COLOURS), 2);
    run(f, "set colours dark");

    press_key(f, SDLK_p, KMOD_CTRL);
    type(f, "multiply");
    press_enter(f);
    td_driver_settle(view);
    assert_string_equal(view->find.text, "multiply");
    run(f, "find; select; close details");

    press_key(f, SDLK_p, KMOD_CTRL);
    type(f, "screenshot:");
    press_enter(f); /* it needs an argument: it is begun in the line of commands */
    settle(f);
    assert_true(td_panel_is_open(view, TD_PANEL_COMMAND));
    press_key(f, SDLK_ESCAPE, 0);
    press_key(f, SDLK_ESCAPE, 0);
}

static void names_fit_by_starts_of_words_and_runs_of_letters(void **state)
{
    assert_int_equal(td_fuzzy_score("Instances", "x"), 0);
    assert_int_equal(td_fuzzy_score("ab", "ba"), 0);
    assert_true(td_fuzzy_score("anything", "") > 0);
    assert_true(td_fuzzy_score("zoom to it", "zti") > td_fuzzy_score("azotic", "zti"));
    assert_true(td_fuzzy_score("load", "load") > td_fuzzy_score("l o a d s", "load"));
    assert_true(td_fuzzy_score("load", "load") > td_fuzzy_score("reload kernels", "load"));
    assert_true(td_fuzzy_score("drawScene", "ds") > td_fuzzy_score("drawside", "ds"));
    char longest[400];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    assert_true(td_fuzzy_score(longest, longest) >= 0);
}

static void words_of_menus_survive_every_character(void **state)
{
    char word[TD_MENU_WORD];
    struct td_script_words words;
    struct td_err err = {0};
    const char *const name = "a \"b\"; quit \\ c";
    const char *at = td_menu_word(word, name);
    assert_int_equal(td_words_next(&words, &at, &err), 0);
    assert_int_equal(words.count, 1);
    assert_string_equal(words.word[0], name);
    td_words_free(&words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_zone_has_a_menu),
        cmocka_unit_test(a_marked_range_has_a_menu),
        cmocka_unit_test(a_label_has_a_menu),
        cmocka_unit_test(rows_are_moved_among_their_siblings),
        cmocka_unit_test(a_row_of_a_list_has_a_menu),
        cmocka_unit_test(the_keyboard_alone_opens_a_menu_and_chooses),
        cmocka_unit_test(a_click_beside_a_menu_only_closes_it),
        cmocka_unit_test(the_palette_finds_by_parts_of_names),
        cmocka_unit_test(names_fit_by_starts_of_words_and_runs_of_letters),
        cmocka_unit_test(words_of_menus_survive_every_character),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
