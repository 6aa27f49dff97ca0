/* The state of a panel: whether it is open, its private data, its place. */
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <string.h>

struct td_region *td_region_of(struct td_view *view, int panel)
{
    if (!view->panels.table[panel]->title)
        return NULL;
    switch (view->panels.slot[panel].dock) {
    case TD_DOCK_LEFT:
        return &view->panels.region[TD_REGION_LEFT];
    case TD_DOCK_RIGHT:
        return &view->panels.region[TD_REGION_RIGHT];
    default:
        return &view->panels.region[TD_REGION_BOTTOM];
    }
}

bool td_region_has(const struct td_view *view, int region, int panel)
{
    return td_region_of((struct td_view *)view, panel) == &view->panels.region[region];
}

bool td_panel_always_open(const struct td_view *view)
{
    (void)view;
    return true;
}

bool td_panel_is_open(const struct td_view *view, enum td_panel_id id)
{
    if (view->panels.table[id]->is_open)
        return view->panels.table[id]->is_open(view);
    const struct td_region *region = td_region_of((struct td_view *)view, id);
    return region ? region->open && region->current == (int)id : view->panels.slot[id].open;
}

bool td_panel_has_keys(const struct td_view *view, enum td_panel_id id)
{
    return view->panels.focus == id && td_panel_is_open(view, id);
}

bool td_panel_copy(struct td_view *view, enum td_panel_id id, enum td_copy_form form)
{
    const struct td_panel *panel = view->panels.table[id];
    char *text = panel->copy ? panel->copy(view, form) : NULL;
    if (text)
        td_ui_set_clipboard(view->ui, text);
    free(text);
    return text != NULL;
}

/* In a narrow window, where the regions at the left and right cover the timeline, one of them is open at a time. */
static void close_opposite(struct td_view *view, const struct td_region *region)
{
    struct td_region *left = &view->panels.region[TD_REGION_LEFT],
                     *right = &view->panels.region[TD_REGION_RIGHT];
    if (td_ui_width(view->ui) >= TD_U(view, TD_NARROW_WIDTH))
        return;
    if (region == left)
        right->open = false;
    else if (region == right)
        left->open = false;
}

void td_panel_set_open(struct td_view *view, enum td_panel_id id, bool open)
{
    struct td_region *region = td_region_of(view, id);
    if (!region) {
        view->panels.slot[id].open = open;
        return;
    }
    if (open)
        region->current = (int)id;
    if (open && view->panels.filled != (int)(region - view->panels.region) + 1)
        view->panels.filled = 0;
    if (open || region->current == (int)id)
        region->open = open;
    if (open)
        close_opposite(view, region);
    view->panels.focus = open ? id : TD_PANEL_TIMELINE;
}

enum td_panel_id td_panel_named(const struct td_view *view, const char *name)
{
    enum td_panel_id id = 0;
    while (id < TD_PANEL_COUNT && strcmp(view->panels.table[id]->name, name) != 0 &&
           (!view->panels.table[id]->title || strcasecmp(view->panels.table[id]->title, name) != 0))
        id++;
    return id;
}

bool td_panel_click(struct td_view *view, enum td_panel_id id)
{
    return view->panels.table[id]->take_click && view->panels.table[id]->take_click(view);
}

void *td_panel_state(struct td_view *view, enum td_panel_id id)
{
    return view->panels.slot[id].state;
}

struct td_rect td_dock_cut(struct td_rect *rest, enum td_dock dock, float size)
{
    struct td_rect cut = *rest;
    if (dock == TD_DOCK_TOP)
        rest->top = fminf(cut.bottom = rest->top + size, rest->bottom);
    else if (dock == TD_DOCK_BOTTOM)
        rest->bottom = fmaxf(cut.top = rest->bottom - size, rest->top);
    else if (dock == TD_DOCK_LEFT)
        rest->left = fminf(cut.right = rest->left + size, rest->right);
    else if (dock == TD_DOCK_RIGHT)
        rest->right = fmaxf(cut.left = rest->right - size, rest->left);
    return cut;
}
