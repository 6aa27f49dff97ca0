#include "host/viewer/model/region.h"
#include "host/viewer/timeline/icons.h"
#include "host/viewer/timeline/paragraph.h"
#include "host/viewer/timeline/region_tabs.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <string.h>

#define LEAST_SIZE   TD_REGION_LEAST
#define LEAST_CENTRE 160 /* of the timeline, in either direction */
#define SPLITTER     5
#define AWAY         30000 /* pixels to the right of every window */

static const struct {
    enum td_dock dock;
    int key;
    float size;
    const char *name;
} regions[TD_REGION_COUNT] = {
#define TD_X(id, word, dock, key, size) {dock, key, size, "region " #id},
    TD_REGIONS(TD_X)
#undef TD_X
};

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
    const struct td_rect all = *rest;
    bool narrow = rest->right - rest->left < TD_U(view, TD_NARROW_WIDTH);
    td_regions_follow(view);
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
    const int filled = view->panels.filled - 1;
    if (filled >= 0 && view->panels.region[filled].open && view->panels.region[filled].current >= 0) {
        for (int r = 0; r < TD_REGION_COUNT; r++)
            view->panels.region[r].place = r == filled ? all : (struct td_rect){0};
        view->panels.region[filled].covers = true;
    } else {
        view->panels.filled = 0;
    }
    for (int i = 0; i < TD_PANEL_COUNT; i++) {
        const struct td_region *region = td_region_of(view, i);
        if (!region)
            continue;
        view->panels.slot[i].placed = region->open && region->current == i;
        view->panels.slot[i].place = region->place;
        view->panels.slot[i].place.top =
            fminf(region->place.top + TD_U(view, TD_TABS_HEIGHT), region->place.bottom);
    }
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
    if (region->dragged && !td_ui_mouse_down(view->ui, TD_MOUSE_LEFT)) {
        region->dragged = false;
        view->wishes.page = TD_WISH_SETTINGS;
    }
    if (region->dragged) {
        const float size = regions[r].dock == TD_DOCK_LEFT    ? x - p->left
                           : regions[r].dock == TD_DOCK_RIGHT ? p->right - x
                                                              : p->bottom - y;
        td_view_settings(view)->regions.size[r] =
            fminf(fmaxf(size / view->scale, LEAST_SIZE), TD_REGION_MOST);
    }
    if (over || region->dragged)
        td_ui_rect(view->ui, grip.left, grip.top, grip.right, grip.bottom, td_color_alpha(TD_C(ACCENT), .5f),
                   0);
}

/* A panel for which the trace has nothing says what it would show, and how it gets that. */
static void draw_panel(struct td_view *view, int panel, const struct td_rect *place)
{
    const struct td_panel *p = view->panels.table[panel];
    const char *lacks = p->lacks ? p->lacks(view) : NULL;
    const float pad = TD_U(view, 16), wide = fminf(place->right - place->left - 2 * pad, TD_U(view, 520));
    /* An empty list can be copied, too: it is made, but out of sight. */
    const float away = lacks ? AWAY : 0;
    p->draw(view, &(struct td_rect){place->left + away, place->top, place->right + away, place->bottom});
    if (!lacks)
        return;
    const float icon = TD_U(view, 24), x = place->left + pad, y = place->top + pad;
    td_draw_icon(view, p->group, x, y, icon, TD_C(TEXT_FAINT));
    td_ui_text_fit(view->ui, TD_FONT_BOLD, x + icon + TD_U(view, 8),
                   y + (icon - td_ui_text_height(view->ui, TD_FONT_BOLD)) / 2, wide - icon, TD_C(TEXT),
                   p->title);
    td_paragraph(view, TD_FONT_TEXT, x, y + icon + TD_U(view, 8), wide, TD_C(TEXT_DIM), lacks, true);
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
        td_region_draw_tabs(view, r);
        const struct td_rect inner = {p.left, fminf(p.top + TD_U(view, TD_TABS_HEIGHT), p.bottom), p.right,
                                      p.bottom};
        td_ui_rect(view->ui, inner.left, inner.top, inner.right, inner.bottom, TD_C(PANEL), 0);
        td_ui_clip(view->ui, inner.left, inner.top, inner.right, inner.bottom);
        /* Its lists leave room for the outline of the one with the keyboard. */
        const struct td_rect inside = {inner.left + 1, inner.top + 1, inner.right - 1, inner.bottom - 1};
        if (region->open && inside.bottom > inside.top)
            draw_panel(view, region->current, &inside);
        td_ui_unclip(view->ui);
        td_ui_rect(view->ui, p.left, p.top, p.right, p.top + 1, TD_C(EDGE), 0);
        if (regions[r].dock == TD_DOCK_LEFT)
            td_ui_rect(view->ui, p.right - 1, p.top, p.right, p.bottom, TD_C(EDGE), 0);
        if (regions[r].dock == TD_DOCK_RIGHT)
            td_ui_rect(view->ui, p.left, p.top, p.left + 1, p.bottom, TD_C(EDGE), 0);
        if ((int)view->panels.focus == region->current)
            td_ui_frame_rect(view->ui, inner.left, inner.top, inner.right, inner.bottom,
                             td_color_alpha(TD_C(ACCENT), .6f), 0, 1);
        if (view->panels.filled != r + 1)
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
