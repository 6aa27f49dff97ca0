/* Draws the open menu (timeline/menu.h), and does the commands of the entry that is chosen. */
#include "host/viewer/drive/run_line.h"
#include "host/viewer/timeline/menu.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>

#define LINE      24
#define PAD       8
#define MARK_WIDE 20
#define GAP       28 /* between texts and keys */
#define LEAST     180

TD_PANEL_STATE(td_menu, MENU)

static void close_menu(struct td_view *view)
{
    view->panels.slot[TD_PANEL_MENU].open = false;
}

static void run_entry(struct td_view *view, int number)
{
    const struct td_menu_entry entry = state_of(view)->entries[number];
    close_menu(view);
    if (entry.on_zone)
        td_view_select(view, state_of(view)->zone);
    td_view_run_line(view, entry.line);
}

/* ---- drawing ---- */

static float keys_width(const struct td_view *view, const struct td_menu_entry *entry)
{
    return entry->keys    ? td_ui_text_width(view->ui, TD_FONT_SMALL, entry->keys) + TD_U(view, GAP)
           : entry->opens ? TD_U(view, GAP)
                          : 0;
}

static float entry_width(const struct td_view *view, const struct td_menu_entry *entry)
{
    const enum td_font font = entry->line[0] ? TD_FONT_TEXT : TD_FONT_BOLD;
    return td_ui_text_width(view->ui, font, entry->text) + keys_width(view, entry) +
           TD_U(view, 2 * PAD + MARK_WIDE);
}

static void draw_check(struct td_view *view, float x, float y, td_rgba color)
{
    const float d = TD_U(view, 4), xy[6] = {x - d, y, x - d / 3, y + d * .7f, x + d, y - d * .8f};
    td_ui_polyline(view->ui, xy, 3, color, TD_U(view, 1.6f));
}

/* Returns whether it was clicked. */
static bool draw_entry(struct td_view *view, struct td_menu *menu, int number, const struct td_rect *at)
{
    const struct td_menu_entry *entry = &menu->entries[number];
    struct td_ui *ui = view->ui;
    char id[sizeof entry->text + 24];
    bool hovered = false, clicked = false;
    const float middle = (at->top + at->bottom) / 2, x = at->left + TD_U(view, PAD + MARK_WIDE),
                right = at->right - TD_U(view, PAD);
    if (entry->separated)
        td_ui_rect(ui, at->left + TD_U(view, PAD), at->top, right, at->top + 1, TD_C(EDGE), 0);
    if (!entry->line[0]) {
        td_ui_text_fit(ui, TD_FONT_BOLD, at->left + TD_U(view, PAD),
                       middle - td_ui_text_height(ui, TD_FONT_BOLD) / 2, right - at->left, TD_C(TEXT_DIM),
                       entry->text);
        return false;
    }
    snprintf(id, sizeof id, "%s##entry %d", entry->text, number);
    clicked =
        td_ui_click_area(ui, id, at->left, at->top, at->right - at->left, at->bottom - at->top, &hovered);
    /* A mouse that rests leaves the choice to the keyboard. */
    if (hovered && (td_ui_mouse_x(ui) != menu->mouse_x || td_ui_mouse_y(ui) != menu->mouse_y))
        menu->chosen = number;
    if (menu->chosen == number)
        td_ui_rect(ui, at->left + TD_U(view, 4), at->top + 1, at->right - TD_U(view, 4), at->bottom - 1,
                   TD_C(LIT), TD_U(view, 4));
    if (entry->mark == TD_MENU_ON)
        draw_check(view, at->left + TD_U(view, PAD + 6), middle, TD_C(ACCENT));
    td_ui_text_fit(ui, TD_FONT_TEXT, x, middle - td_ui_text_height(ui, TD_FONT_TEXT) / 2,
                   right - x - keys_width(view, entry), TD_C(TEXT), entry->text);
    if (entry->keys)
        td_ui_text(ui, TD_FONT_SMALL, right - td_ui_text_width(ui, TD_FONT_SMALL, entry->keys),
                   middle - td_ui_text_height(ui, TD_FONT_SMALL) / 2, TD_C(TEXT_DIM), entry->keys);
    if (entry->opens) {
        const float d = TD_U(view, 3.5f),
                    xy[6] = {right - 2 * d, middle - d, right - d, middle, right - 2 * d, middle + d};
        td_ui_polyline(ui, xy, 3, TD_C(TEXT_DIM), TD_U(view, 1.4f));
    }
    return clicked;
}

/* In as many columns as the window needs. */
static void draw_menu(struct td_view *view, const struct td_rect *place)
{
    struct td_menu *menu = state_of(view);
    struct td_ui *ui = view->ui;
    const float line = roundf(TD_U(view, LINE)), pad = TD_U(view, 4), all_high = td_ui_height(ui);
    const int most = (int)fmaxf((all_high - 2 * pad) / line, 1),
              rows = menu->count < most ? menu->count : most,
              columns = rows ? (menu->count + rows - 1) / rows : 0;
    float wide = TD_U(view, LEAST);
    int clicked = -1;
    (void)place; /* over the whole window */
    for (int i = 0; i < menu->count; i++)
        wide = fmaxf(wide, entry_width(view, &menu->entries[i]));
    const float all_wide = ceilf(fminf(wide * (float)columns, td_ui_width(ui))),
                high = line * (float)rows + 2 * pad;
    const float x = floorf(fmaxf(fminf(menu->x, td_ui_width(ui) - all_wide), 0)),
                y = floorf(fmaxf(fminf(menu->y, all_high - high), 0));
    /* Nothing under it takes the mouse; its border is outside of the window. */
    td_ui_region_begin(ui, "menu shade", -2, -2, td_ui_width(ui) + 4, all_high + 4, 0, TD_LAYER_TOP);
    const bool outside = td_ui_region_hovered(ui) &&
                         (td_ui_mouse_pressed(ui, TD_MOUSE_LEFT) || td_ui_mouse_pressed(ui, TD_MOUSE_RIGHT));
    td_ui_region_end(ui);
    td_ui_region_begin(ui, td_panel_menu.name, x, y, all_wide, high, TD_C(RAISED), TD_LAYER_TOP);
    const float each = all_wide / (float)(columns ? columns : 1);
    menu->left = x;
    menu->top = y + pad;
    menu->column = each;
    menu->rows = rows;
    for (int i = 0; i < menu->count; i++) {
        const float left = x + each * (float)(i / rows), top = y + pad + line * (float)(i % rows);
        if (draw_entry(view, menu, i, &(struct td_rect){left, top, left + each, top + line}))
            clicked = i;
    }
    td_ui_region_end(ui);
    if (td_ui_mouse_x(ui) != menu->mouse_x || td_ui_mouse_y(ui) != menu->mouse_y)
        menu->mouse_x = menu->mouse_y = -1; /* it has moved: from now on it chooses */
    if (clicked >= 0)
        run_entry(view, clicked);
    else if (outside)
        close_menu(view);
}

/* ---- keys ---- */

static void step(struct td_menu *menu, int by)
{
    int at = menu->chosen < 0 ? (by > 0 ? -1 : 0) : menu->chosen;
    for (int i = 0; i < menu->count; i++) {
        at = (at + by + menu->count) % menu->count;
        if (menu->entries[at].line[0])
            break;
    }
    menu->chosen = at;
}

static bool take_menu_key(struct td_view *view, const struct td_key_press *press)
{
    struct td_menu *menu = state_of(view);
    if (!td_panel_is_open(view, TD_PANEL_MENU) || !menu->count)
        return false;
    if (press->key == TD_KEY_DOWN || press->key == TD_KEY_UP) {
        menu->mouse_x = td_ui_mouse_x(view->ui);
        menu->mouse_y = td_ui_mouse_y(view->ui);
        step(menu, press->key == TD_KEY_DOWN ? 1 : -1);
    } else if (press->key == TD_KEY_HOME || press->key == TD_KEY_END) {
        menu->chosen = -1;
        step(menu, press->key == TD_KEY_HOME ? 1 : -1);
    } else if ((press->key == TD_KEY_ENTER || press->key == TD_KEY_RIGHT) && menu->chosen >= 0) {
        if (press->key == TD_KEY_ENTER || menu->entries[menu->chosen].opens)
            run_entry(view, menu->chosen);
    } else {
        close_menu(view);
        return press->key == TD_KEY_LEFT;
    }
    return true;
}

static void open_menu(struct td_view *view)
{
    td_menu_of_choice(view);
}

static const struct td_help_line menu_help[] = {
    {"Right click", "a menu of what is under the mouse"},
    {"Shift+F10, menu key", "the menu of the selected zone, or of the timeline"},
    {"Up, Down, Enter, Esc", "in a menu: choose, do it, close it"},
    {0},
};

const struct td_panel td_panel_menu = {
    .name = "menu",
    .dock = TD_DOCK_OVERLAY,
    .keys = {{.key = TD_KEY_F10, .shift = true}, {.key = TD_KEY_MENU}},
    .help = menu_help,
    .state_bytes = sizeof(struct td_menu),
    .draw = draw_menu,
    .open = open_menu,
    .take_key = take_menu_key,
};
