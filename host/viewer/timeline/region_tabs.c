#include "host/viewer/timeline/region_tabs.h"
#include "host/viewer/model/region.h"
#include "host/viewer/timeline/icons.h"
#include "host/viewer/timeline/menu.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ICON      15
#define PAD       8
#define CLOSE     26
#define LEAST_TAB 36 /* of a cut name */

static const char *const names[] = {
#define TD_X(id, name) name,
    TD_PANEL_GROUPS(TD_X)
#undef TD_X
};

static bool is_in(const struct td_view *view, int region, int group, int panel)
{
    return td_region_has(view, region, panel) &&
           view->panels.table[panel]->group == (enum td_panel_group)group;
}

static const char *lacks_of(const struct td_view *view, int panel)
{
    const struct td_panel *p = view->panels.table[panel];
    return p->lacks ? p->lacks(view) : NULL;
}

/* The panel of the group that was shown last, else its first one with data, else its first; -1: it has none here. */
static int panel_of(const struct td_view *view, int region, int group)
{
    const int last = view->panels.region[region].last[group];
    int first = -1;
    if (last >= 0 && is_in(view, region, group, last))
        return last;
    for (int i = TD_PANEL_COUNT - 1; i >= 0; i--)
        if (is_in(view, region, group, i) && (first < 0 || !lacks_of(view, i)))
            first = i;
    return first;
}

static bool has_data(const struct td_view *view, int region, int group)
{
    for (int i = 0; i < TD_PANEL_COUNT; i++)
        if (is_in(view, region, group, i) && !lacks_of(view, i))
            return true;
    return false;
}

static float tab_width(const struct td_view *view, int panel)
{
    return td_ui_text_width(view->ui, TD_FONT_TEXT, view->panels.table[panel]->title) + 2 * TD_U(view, PAD);
}

static float group_width(const struct td_view *view, int group, bool named)
{
    return TD_U(view, ICON + 2 * PAD) +
           (named ? td_ui_text_width(view->ui, TD_FONT_TEXT, names[group]) + TD_U(view, PAD / 2) : 0);
}

/* What can be done with the tab. */
static void open_tab_menu(struct td_view *view, int panel)
{
    const struct td_panel *p = view->panels.table[panel];
    struct td_menu *menu = td_menu_begin(view, td_ui_mouse_x(view->ui), td_ui_mouse_y(view->ui));
    td_menu_head(menu, p->title);
    const char *here = td_region_word(td_region_of_dock(view->panels.slot[panel].dock));
    for (int r = 0; r < TD_REGION_COUNT; r++) {
        char text[60];
        const char *there = td_region_word(r);
        if (!strcmp(here, there))
            continue;
        snprintf(text, sizeof text, r == TD_REGION_BOTTOM ? "Move to the %s" : "Move to the %s edge", there);
        td_menu_add(menu, text, NULL, "dock %s %s", p->name, there);
        snprintf(text, sizeof text, "Swap all tabs with those of the %s%s", there,
                 r == TD_REGION_BOTTOM ? "" : " edge");
        td_menu_add(menu, text, NULL, "swap %s %s", here, there);
    }
    td_menu_add(menu, view->panels.filled ? "No longer fill the window" : "Fill the window", "double click",
                "fill %s", p->name);
    td_menu_add(menu, "All tabs and sizes as at first", NULL, "arrange");
    if (p->copy)
        td_menu_add(menu, "Copy what it lists", "Ctrl+C", "open %s; copy %s", p->name, p->name);
    td_menu_add(menu, "Manual", "F1", "manual %s", p->name);
    td_menu_add(menu, "Close", NULL, "close %s", p->name);
}

static void draw_tab(struct td_view *view, int panel, const struct td_rect *tab, bool current)
{
    struct td_ui *ui = view->ui;
    const char *title = view->panels.table[panel]->title, *lacks = lacks_of(view, panel);
    char id[40];
    bool hovered;
    snprintf(id, sizeof id, "tab %s", view->panels.table[panel]->name);
    if (td_ui_click_area(ui, id, tab->left, tab->top, tab->right - tab->left, tab->bottom - tab->top,
                         &hovered))
        td_panel_set_open(view, panel, true);
    if (hovered && td_ui_double_click(ui))
        td_panel_fill(view, panel);
    else if (hovered && td_ui_mouse_pressed(ui, TD_MOUSE_LEFT))
        td_tab_grab(view, panel);
    if (hovered && td_ui_mouse_pressed(ui, TD_MOUSE_RIGHT))
        open_tab_menu(view, panel);
    if (current || hovered)
        td_ui_rect(ui, tab->left, tab->top, tab->right, tab->bottom, current ? TD_C(PANEL) : TD_C(LIT), 0);
    if (current)
        td_ui_rect(ui, tab->left, tab->top, tab->right, tab->top + TD_U(view, 2), TD_C(ACCENT), 0);
    const float y = (tab->top + tab->bottom - td_ui_text_height(ui, TD_FONT_TEXT)) / 2,
                room = tab->right - tab->left;
    const td_rgba color = current || hovered ? TD_C(TEXT) : TD_C(TEXT_DIM);
    td_ui_text_fit(ui, TD_FONT_TEXT, tab->left + TD_U(view, PAD), y, room - TD_U(view, PAD) - 2,
                   lacks ? td_color_alpha(color, .55f) : color, title);
    if (hovered && (lacks || tab_width(view, panel) > room + 1))
        td_tip(view, title, "%s\n", lacks ? lacks : "");
}

static void draw_group(struct td_view *view, int region, int group, const struct td_rect *place, bool named,
                       bool current)
{
    struct td_ui *ui = view->ui;
    char id[24];
    bool hovered;
    const float pad = TD_U(view, PAD), icon = TD_U(view, ICON), middle = (place->top + place->bottom) / 2;
    snprintf(id, sizeof id, "group %d", group);
    if (td_ui_click_area(ui, id, place->left, place->top, place->right - place->left,
                         place->bottom - place->top, &hovered))
        td_panel_set_open(view, panel_of(view, region, group), true);
    if (hovered && !current)
        td_ui_rect(ui, place->left, place->top, place->right, place->bottom, TD_C(LIT), 0);
    td_rgba color = current ? TD_C(ACCENT) : hovered ? TD_C(TEXT) : TD_C(TEXT_DIM);
    if (!has_data(view, region, group))
        color = td_color_alpha(color, .55f);
    td_draw_icon(view, (enum td_panel_group)group, place->left + pad, roundf(middle - icon / 2), icon, color);
    if (named)
        td_ui_text(ui, TD_FONT_TEXT, place->left + pad + icon + pad / 2,
                   middle - td_ui_text_height(ui, TD_FONT_TEXT) / 2, color, names[group]);
    if (hovered) {
        char text[200] = "";
        for (int i = 0; i < TD_PANEL_COUNT; i++)
            if (is_in(view, region, group, i)) {
                const size_t used = strlen(text);
                snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "",
                         view->panels.table[i]->title);
            }
        td_tip(view, names[group], "%s\n", text);
    }
}

static void draw_close(struct td_view *view, struct td_region *region, float bottom)
{
    struct td_ui *ui = view->ui;
    const struct td_rect *p = &region->place;
    const float close = TD_U(view, CLOSE), cx = p->right - close / 2, cy = (p->top + bottom) / 2,
                d = TD_U(view, 3.5f);
    bool hovered;
    if (td_ui_click_area(ui, "close", p->right - close, p->top, close, bottom - p->top, &hovered))
        region->open = false;
    if (hovered)
        td_ui_rect(ui, p->right - close, p->top, p->right, bottom, TD_C(LIT), 0);
    const td_rgba color = hovered ? TD_C(TEXT) : TD_C(TEXT_FAINT);
    td_ui_line(ui, cx - d, cy - d, cx + d, cy + d, color, TD_U(view, 1.3f));
    td_ui_line(ui, cx - d, cy + d, cx + d, cy - d, color, TD_U(view, 1.3f));
}

/* Names of groups are left out where there is no room for them, then names of tabs are cut. */
void td_region_draw_tabs(struct td_view *view, int r)
{
    struct td_region *region = &view->panels.region[r];
    const struct td_rect *p = &region->place;
    const float bottom = fminf(p->top + TD_U(view, TD_TABS_HEIGHT), p->bottom),
                room = p->right - p->left - TD_U(view, CLOSE);
    const int current = region->current, shown = (int)view->panels.table[current]->group;
    float tabs = 0, plain = 0, named = 0;
    int count = 0;
    region->last[shown] = current;
    for (int i = 0; i < TD_PANEL_COUNT; i++)
        if (is_in(view, r, shown, i)) {
            tabs += tab_width(view, i);
            count++;
        }
    for (int g = 0; g < TD_GROUP_COUNT; g++)
        if (panel_of(view, r, g) >= 0) {
            plain += group_width(view, g, false);
            named += group_width(view, g, g != shown);
        }
    const bool names_fit = named + tabs <= room;
    const float least = TD_U(view, LEAST_TAB) * (float)(count - 1), whole = tab_width(view, current),
                rest = room - plain, others = fmaxf(rest - whole, least) / (float)(count > 1 ? count - 1 : 1);
    float x = p->left;
    for (int g = 0; g < TD_GROUP_COUNT; g++) {
        if (panel_of(view, r, g) < 0)
            continue;
        const bool is_named = names_fit && g != shown;
        const float wide = group_width(view, g, is_named);
        draw_group(view, r, g, &(struct td_rect){x, p->top + 1, x + wide, bottom}, is_named, g == shown);
        x += wide;
        for (int i = 0; g == shown && i < TD_PANEL_COUNT; i++) {
            if (!is_in(view, r, g, i))
                continue;
            const float tab = plain + tabs <= room ? tab_width(view, i)
                              : i == current       ? fminf(whole, rest)
                                                   : others;
            draw_tab(view, i, &(struct td_rect){x, p->top + 1, fminf(x + tab, p->left + room), bottom},
                     i == current);
            x += tab;
        }
    }
    draw_close(view, region, bottom);
}
