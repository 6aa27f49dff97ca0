#include "host/viewer/model/region.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>

#define TABS_HEIGHT   26
#define LEAST_SIZE    120
#define LEAST_CENTRE  160 /* of the timeline, in either direction */
#define SPLITTER      5
#define LEAST_TAB     36 /* of a cut name, and of one of many */
#define LEAST_OF_MANY 64
#define MANY_TABS     8
#define ARROW_WIDTH   20

static const struct {
    enum td_dock dock;
    int key;
    float size;
    const char *name;
} regions[TD_REGION_COUNT] = {
#define TD_X(id, dock, key, size) {dock, key, size, "region " #id},
    TD_REGIONS(TD_X)
#undef TD_X
};

static bool is_in(const struct td_view *view, int panel, int region)
{
    return view->panels.table[panel]->title && view->panels.table[panel]->dock == regions[region].dock;
}

void td_regions_init(struct td_view *view)
{
    for (int r = 0; r < TD_REGION_COUNT; r++) {
        view->panels.region[r] = (struct td_region){.current = -1, .size = regions[r].size};
        for (int i = TD_PANEL_COUNT - 1; i >= 0; i--)
            if (is_in(view, i, r))
                view->panels.region[r].current = i;
    }
}

/* ---- places ---- */

static float size_in(const struct td_view *view, int region, const struct td_rect *rest, bool covers)
{
    bool bottom = regions[region].dock == TD_DOCK_BOTTOM;
    float room = bottom ? rest->bottom - rest->top : rest->right - rest->left;
    float least = TD_U(view, LEAST_SIZE), most = room - TD_U(view, covers ? 40 : LEAST_CENTRE);
    return fmaxf(fminf(fmaxf(TD_U(view, view->panels.region[region].size), least), most),
                 fminf(least, room * .8f));
}

void td_regions_place(struct td_view *view, struct td_rect *rest)
{
    bool narrow = rest->right - rest->left < TD_U(view, TD_NARROW_WIDTH);
    for (int r = 0; r < TD_REGION_COUNT; r++) {
        struct td_region *region = &view->panels.region[r];
        region->place = (struct td_rect){0};
        if (!region->open || region->current < 0)
            continue;
        region->covers = narrow && regions[r].dock != TD_DOCK_BOTTOM;
        struct td_rect under = *rest;
        region->place = td_dock_cut(region->covers ? &under : rest, regions[r].dock,
                                    roundf(size_in(view, r, rest, region->covers)));
    }
    for (int i = 0; i < TD_PANEL_COUNT; i++) {
        const struct td_region *region = td_region_of(view, i);
        if (!region)
            continue;
        view->panels.slot[i].placed = region->open && region->current == i;
        view->panels.slot[i].place = region->place;
        view->panels.slot[i].place.top =
            fminf(region->place.top + TD_U(view, TABS_HEIGHT), region->place.bottom);
    }
}

/* ---- tabs ---- */

static int count_tabs(const struct td_view *view, int region)
{
    int count = 0;
    for (int i = 0; i < TD_PANEL_COUNT; i++)
        count += is_in(view, i, region);
    return count;
}

/* Draws a tab; true: it was clicked. */
static bool draw_tab(struct td_view *view, int panel, const struct td_rect *tab, bool current)
{
    struct td_ui *ui = view->ui;
    const char *title = view->panels.table[panel]->title;
    char id[40];
    bool hovered;
    snprintf(id, sizeof id, "tab %s", view->panels.table[panel]->name);
    bool clicked = td_ui_click_area(ui, id, tab->left, tab->top, tab->right - tab->left,
                                    tab->bottom - tab->top, &hovered);
    if (current)
        td_ui_rect(ui, tab->left, tab->top, tab->right, tab->bottom, TD_C(PANEL), 0);
    if (current)
        td_ui_rect(ui, tab->left, tab->top, tab->right, tab->top + TD_U(view, 2), TD_C(ACCENT), 0);
    float y = (tab->top + tab->bottom - td_ui_text_height(ui, TD_FONT_TEXT)) / 2;
    td_ui_text_fit(ui, TD_FONT_TEXT, tab->left + TD_U(view, 10), y, tab->right - tab->left - TD_U(view, 12),
                   current || hovered ? TD_C(TEXT) : TD_C(TEXT_DIM), title);
    return clicked;
}

static float tab_width(const struct td_view *view, int panel)
{
    return td_ui_text_width(view->ui, TD_FONT_TEXT, view->panels.table[panel]->title) + TD_U(view, 22);
}

/* All tabs in `room`: where not all fit, the name of the current one stays whole, and others are cut. */
static void draw_all_tabs(struct td_view *view, int r, float room, float wide, float bottom)
{
    const struct td_region *region = &view->panels.region[r];
    const int tabs = count_tabs(view, r);
    const float current = fminf(tab_width(view, region->current), room);
    float x = region->place.left;
    for (int i = 0; i < TD_PANEL_COUNT; i++) {
        if (!is_in(view, i, r))
            continue;
        float width = tab_width(view, i);
        if (wide > room && region->current != i)
            width = fmaxf(room - current, 0) / (float)(tabs > 1 ? tabs - 1 : 1);
        struct td_rect tab = {x, region->place.top + 1, x + width, bottom};
        if (draw_tab(view, i, &tab, region->current == i))
            td_panel_set_open(view, i, true);
        x += width;
    }
}

/* An arrow to the tabs before or after those that are shown. */
static void draw_tab_arrow(struct td_view *view, int r, float left, float bottom, bool forward)
{
    struct td_ui *ui = view->ui;
    const float top = view->panels.region[r].place.top, wide = TD_U(view, ARROW_WIDTH);
    const float cx = left + wide / 2, cy = (top + bottom) / 2, d = TD_U(view, forward ? 3.f : -3.f);
    bool hovered;
    if (td_ui_click_area(ui, forward ? "next tab" : "previous tab", left, top, wide, bottom - top, &hovered))
        td_region_next_tab(view, view->panels.region[r].current, forward ? 1 : -1);
    const td_rgba color = hovered ? TD_C(TEXT) : TD_C(TEXT_FAINT);
    td_ui_line(ui, cx - d / 2, cy - fabsf(d), cx + d / 2, cy, color, TD_U(view, 1.3f));
    td_ui_line(ui, cx + d / 2, cy, cx - d / 2, cy + fabsf(d), color, TD_U(view, 1.3f));
}

/* Where names would be cut to nothing: tabs in pages, of which the one with the current tab is shown. */
static void draw_tab_page(struct td_view *view, int r, float room, float bottom)
{
    const struct td_region *region = &view->panels.region[r];
    const float arrow = TD_U(view, ARROW_WIDTH), left = region->place.left + arrow, inner = room - 2 * arrow;
    int first = 0;
    float x = 0;
    for (int i = 0; i <= region->current; i++) {
        if (!is_in(view, i, r))
            continue;
        if (x > 0 && x + tab_width(view, i) > inner) {
            first = i;
            x = 0;
        }
        x += tab_width(view, i);
    }
    x = 0;
    for (int i = first; i < TD_PANEL_COUNT && (x <= 0 || x < inner); i++) {
        if (!is_in(view, i, r))
            continue;
        const float width = fminf(tab_width(view, i), inner);
        if (x + width > inner + 1)
            break;
        const struct td_rect tab = {left + x, region->place.top + 1, left + x + width, bottom};
        if (draw_tab(view, i, &tab, region->current == i))
            td_panel_set_open(view, i, true);
        x += width;
    }
    draw_tab_arrow(view, r, left - arrow, bottom, false);
    draw_tab_arrow(view, r, left + inner, bottom, true);
}

static void draw_tabs(struct td_view *view, int r)
{
    struct td_ui *ui = view->ui;
    struct td_region *region = &view->panels.region[r];
    const struct td_rect *p = &region->place;
    float bottom = fminf(p->top + TD_U(view, TABS_HEIGHT), p->bottom), close = TD_U(view, 26);
    float wide = 0, room = p->right - p->left - close;
    const int tabs = count_tabs(view, r);
    const float least = TD_U(view, tabs > MANY_TABS ? LEAST_OF_MANY : LEAST_TAB);
    for (int i = 0; i < TD_PANEL_COUNT; i++)
        wide += is_in(view, i, r) ? tab_width(view, i) : 0;
    if (wide > room && room - tab_width(view, region->current) < least * (float)(tabs - 1))
        draw_tab_page(view, r, room, bottom);
    else
        draw_all_tabs(view, r, room, wide, bottom);
    bool hovered;
    if (td_ui_click_area(ui, "close", p->right - close, p->top, close, bottom - p->top, &hovered))
        region->open = false;
    float cx = p->right - close / 2, cy = (p->top + bottom) / 2, d = TD_U(view, 3.5f);
    td_rgba color = hovered ? TD_C(TEXT) : TD_C(TEXT_FAINT);
    td_ui_line(ui, cx - d, cy - d, cx + d, cy + d, color, TD_U(view, 1.3f));
    td_ui_line(ui, cx - d, cy + d, cx + d, cy - d, color, TD_U(view, 1.3f));
}

/* ---- splitters ---- */

static struct td_rect splitter_of(const struct td_view *view, int r)
{
    const struct td_rect *p = &view->panels.region[r].place;
    float wide = TD_U(view, SPLITTER);
    if (regions[r].dock == TD_DOCK_LEFT)
        return (struct td_rect){p->right - wide, p->top, p->right, p->bottom};
    if (regions[r].dock == TD_DOCK_RIGHT)
        return (struct td_rect){p->left, p->top, p->left + wide, p->bottom};
    return (struct td_rect){p->left, p->top, p->right, p->top + wide};
}

static bool is_inside(const struct td_rect *r, float x, float y)
{
    return x >= r->left && x < r->right && y >= r->top && y < r->bottom;
}

/* A splitter is dragged with the left button, wherever the mouse goes. */
static void drag_splitter(struct td_view *view, int r)
{
    struct td_region *region = &view->panels.region[r];
    const struct td_rect *p = &region->place, grip = splitter_of(view, r);
    float x = td_ui_mouse_x(view->ui), y = td_ui_mouse_y(view->ui);
    bool over = is_inside(&grip, x, y) && td_ui_region_hovered(view->ui);
    if (over && td_ui_mouse_pressed(view->ui, TD_MOUSE_LEFT))
        region->dragged = true;
    if (!td_ui_mouse_down(view->ui, TD_MOUSE_LEFT))
        region->dragged = false;
    if (region->dragged) {
        float size = regions[r].dock == TD_DOCK_LEFT    ? x - p->left
                     : regions[r].dock == TD_DOCK_RIGHT ? p->right - x
                                                        : p->bottom - y;
        region->size = fmaxf(size / view->scale, LEAST_SIZE);
    }
    if (over || region->dragged)
        td_ui_rect(view->ui, grip.left, grip.top, grip.right, grip.bottom, td_color_alpha(TD_C(ACCENT), .5f),
                   0);
}

void td_regions_draw(struct td_view *view)
{
    for (int r = 0; r < TD_REGION_COUNT; r++) {
        struct td_region *region = &view->panels.region[r];
        const struct td_rect p = region->place;
        if (!region->open || region->current < 0 || p.right <= p.left)
            continue;
        td_ui_region_begin(view->ui, regions[r].name, p.left, p.top, p.right - p.left, p.bottom - p.top,
                           TD_C(BAR), region->covers ? TD_LAYER_COVER : TD_LAYER_BASE);
        draw_tabs(view, r);
        const struct td_rect inner = {p.left, fminf(p.top + TD_U(view, TABS_HEIGHT), p.bottom), p.right,
                                      p.bottom};
        td_ui_rect(view->ui, inner.left, inner.top, inner.right, inner.bottom, TD_C(PANEL), 0);
        td_ui_clip(view->ui, inner.left, inner.top, inner.right, inner.bottom);
        if (region->open && inner.bottom > inner.top)
            view->panels.table[region->current]->draw(view, &inner);
        td_ui_unclip(view->ui);
        td_ui_rect(view->ui, p.left, p.top, p.right, p.top + 1, TD_C(EDGE), 0);
        if (regions[r].dock == TD_DOCK_LEFT)
            td_ui_rect(view->ui, p.right - 1, p.top, p.right, p.bottom, TD_C(EDGE), 0);
        if (regions[r].dock == TD_DOCK_RIGHT)
            td_ui_rect(view->ui, p.left, p.top, p.left + 1, p.bottom, TD_C(EDGE), 0);
        if ((int)view->panels.focus == region->current)
            td_ui_frame_rect(view->ui, inner.left, inner.top, inner.right, inner.bottom,
                             td_color_alpha(TD_C(ACCENT), .6f), 0, 1);
        drag_splitter(view, r);
        td_ui_region_end(view->ui);
    }
}

/* ---- keys ---- */

bool td_regions_key(struct td_view *view, const struct td_key_press *press)
{
    for (int r = 0; r < TD_REGION_COUNT; r++)
        if (press->key == regions[r].key && !press->shift && view->panels.region[r].current >= 0) {
            view->panels.region[r].open = !view->panels.region[r].open;
            return true;
        }
    return false;
}

void td_region_next_tab(struct td_view *view, int panel, int step)
{
    for (int r = 0; r < TD_REGION_COUNT; r++)
        for (int i = 1; is_in(view, panel, r) && i <= TD_PANEL_COUNT; i++) {
            int next = (panel + step * i % TD_PANEL_COUNT + TD_PANEL_COUNT) % TD_PANEL_COUNT;
            if (is_in(view, next, r)) {
                td_panel_set_open(view, next, true);
                return;
            }
        }
}

/* The order of the keyboard: the timeline, then the regions as in their table. */
void td_region_next_focus(struct td_view *view, int step)
{
    enum { PLACES = TD_REGION_COUNT + 1 };
    int at = 0;
    for (int r = 0; r < TD_REGION_COUNT; r++)
        if (view->panels.region[r].open && (int)view->panels.focus == view->panels.region[r].current)
            at = r + 1;
    do
        at = (at + step + PLACES) % PLACES;
    while (at && (!view->panels.region[at - 1].open || view->panels.region[at - 1].current < 0));
    view->panels.focus = at ? (enum td_panel_id)view->panels.region[at - 1].current : TD_PANEL_TIMELINE;
}
