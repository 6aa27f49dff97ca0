/* Tabs and regions that the user moves. The settings have where they are; the regions follow them. */
#include "host/viewer/model/region.h"
#include "host/viewer/timeline/view.h"

#include <math.h>

#define DRAG_LEAST 6  /* pixels: less is a click */
#define EDGE_PART  .2 /* of the window: where a closed region takes a tab */

static const struct {
    enum td_dock dock;
    float size;
} regions[TD_REGION_COUNT] = {
#define TD_X(id, word, dock, key, size) {dock, size},
    TD_REGIONS(TD_X)
#undef TD_X
};

/* The first panel of the region; -1: it has none. */
static int first_of(const struct td_view *view, int region)
{
    int first = -1;
    for (int i = TD_PANEL_COUNT - 1; i >= 0; i--)
        first = td_region_has(view, region, i) ? i : first;
    return first;
}

void td_regions_init(struct td_view *view)
{
    for (int i = 0; i < TD_PANEL_COUNT; i++)
        view->panels.slot[i].dock = view->panels.table[i]->dock;
    for (int r = 0; r < TD_REGION_COUNT; r++) {
        view->panels.region[r] = (struct td_region){.current = first_of(view, r), .size = regions[r].size};
        for (int g = 0; g < TD_GROUP_COUNT; g++)
            view->panels.region[r].last[g] = -1;
    }
}

/* Puts the tab there. A region shows another one of its tabs instead of one that left it. */
static void put_tab(struct td_view *view, int panel, int r)
{
    struct td_region *old = td_region_of(view, panel);
    view->panels.slot[panel].dock = regions[r].dock;
    if (old->current == panel && old != &view->panels.region[r]) {
        old->current = first_of(view, (int)(old - view->panels.region));
        old->open &= old->current >= 0;
    }
    if (view->panels.region[r].current < 0)
        view->panels.region[r].current = panel;
}

void td_regions_follow(struct td_view *view)
{
    const struct td_tab_places *wanted = &td_view_settings(view)->regions;
    for (int i = 0; i < TD_PANEL_COUNT; i++) {
        const int r =
            wanted->region[i] ? wanted->region[i] - 1 : td_region_of_dock(view->panels.table[i]->dock);
        if (td_region_of(view, i) && td_region_of(view, i) != &view->panels.region[r])
            put_tab(view, i, r);
    }
    for (int r = 0; r < TD_REGION_COUNT; r++)
        view->panels.region[r].size = wanted->size[r] > 0 ? wanted->size[r] : regions[r].size;
}

static void place_tab(struct td_view *view, int panel, int r)
{
    const bool is_first = td_region_of_dock(view->panels.table[panel]->dock) == r;
    td_view_settings(view)->regions.region[panel] = (unsigned char)(is_first ? 0 : r + 1);
    view->wishes.page = TD_WISH_SETTINGS;
}

int td_panel_move(struct td_view *view, enum td_panel_id id, const char *word)
{
    const int r = td_region_named(word);
    if (r < 0 || !td_region_of(view, id))
        return TD_E_USAGE;
    place_tab(view, (int)id, r);
    td_regions_follow(view);
    td_panel_set_open(view, id, true);
    return 0;
}

int td_regions_swap(struct td_view *view, const char *one, const char *other)
{
    const int a = td_region_named(one), b = td_region_named(other);
    if (a < 0 || b < 0)
        return TD_E_USAGE;
    const struct td_region was[2] = {view->panels.region[a], view->panels.region[b]};
    bool moves[TD_PANEL_COUNT] = {false};
    for (int i = 0; i < TD_PANEL_COUNT; i++)
        moves[i] = td_region_has(view, a, i) || td_region_has(view, b, i);
    for (int i = 0; i < TD_PANEL_COUNT; i++)
        if (moves[i])
            place_tab(view, i, td_region_has(view, a, i) ? b : a);
    td_regions_follow(view);
    for (int i = 0; i < 2; i++) {
        struct td_region *region = &view->panels.region[i ? a : b];
        region->current = was[i].current;
        region->open = was[i].open;
    }
    return 0;
}

void td_panel_fill(struct td_view *view, enum td_panel_id id)
{
    struct td_region *region = td_region_of(view, id);
    const int r = (int)(region - view->panels.region) + 1;
    const bool fills = view->panels.filled != r || region->current != (int)id;
    td_panel_set_open(view, id, true);
    view->panels.filled = fills ? r : 0;
}

void td_regions_reset(struct td_view *view)
{
    td_view_settings(view)->regions = (struct td_tab_places){0};
    view->panels.filled = 0;
    view->wishes.page = TD_WISH_SETTINGS;
    td_regions_follow(view);
}

/* ---- by the mouse ---- */

void td_tab_grab(struct td_view *view, int panel)
{
    view->panels.drag =
        (struct td_tab_drag){.tab = panel + 1, .x = td_ui_mouse_x(view->ui), .y = td_ui_mouse_y(view->ui)};
}

/* The region under the mouse, or at the edge near it; -1: none. */
static int region_at_mouse(const struct td_view *view, struct td_rect *place)
{
    const float x = td_ui_mouse_x(view->ui), y = td_ui_mouse_y(view->ui), wide = td_ui_width(view->ui),
                high = td_ui_height(view->ui);
    for (int r = 0; r < TD_REGION_COUNT; r++) {
        *place = view->panels.region[r].place;
        if (x >= place->left && x < place->right && y >= place->top && y < place->bottom)
            return r;
    }
    *place = (struct td_rect){0, view->panels.inset, wide, high};
    const int near = y > high * (1 - EDGE_PART)   ? TD_REGION_BOTTOM
                     : x < wide * EDGE_PART       ? TD_REGION_LEFT
                     : x > wide * (1 - EDGE_PART) ? TD_REGION_RIGHT
                                                  : -1;
    if (near == TD_REGION_BOTTOM)
        place->top = roundf(high * (1 - (float)EDGE_PART));
    else if (near == TD_REGION_LEFT)
        place->right = roundf(wide * (float)EDGE_PART);
    else if (near == TD_REGION_RIGHT)
        place->left = roundf(wide * (1 - (float)EDGE_PART));
    return near;
}

void td_tabs_drag(struct td_view *view)
{
    struct td_tab_drag *drag = &view->panels.drag;
    struct td_rect place;
    if (!drag->tab)
        return;
    const int panel = drag->tab - 1;
    const float x = td_ui_mouse_x(view->ui), y = td_ui_mouse_y(view->ui);
    drag->moves |= fmaxf(fabsf(x - drag->x), fabsf(y - drag->y)) > TD_U(view, DRAG_LEAST);
    const int to = drag->moves && !view->panels.filled ? region_at_mouse(view, &place) : -1;
    if (!td_ui_mouse_down(view->ui, TD_MOUSE_LEFT)) {
        if (to >= 0 && !td_region_has(view, to, panel))
            td_panel_move(view, (enum td_panel_id)panel, td_region_word(to));
        *drag = (struct td_tab_drag){0};
        return;
    }
    if (!drag->moves)
        return;
    td_ui_on_top(view->ui, true);
    if (to >= 0 && !td_region_has(view, to, panel)) {
        td_ui_rect(view->ui, place.left, place.top, place.right, place.bottom,
                   td_color_alpha(TD_C(ACCENT), .2f), 0);
        td_ui_frame_rect(view->ui, place.left, place.top, place.right, place.bottom, TD_C(ACCENT), 0,
                         TD_U(view, 2));
    }
    const char *title = view->panels.table[panel]->title;
    const float pad = TD_U(view, 8), wide = td_ui_text_width(view->ui, TD_FONT_TEXT, title) + 2 * pad,
                high = td_ui_text_height(view->ui, TD_FONT_TEXT) + pad;
    td_ui_rect(view->ui, x + pad, y + pad, x + pad + wide, y + pad + high, TD_C(RAISED), TD_U(view, 3));
    td_ui_text(view->ui, TD_FONT_TEXT, x + 2 * pad, y + pad * 1.5f, TD_C(TEXT), title);
    td_ui_on_top(view->ui, false);
}
