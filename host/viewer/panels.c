/* The state, the layout and the keys of the panels. */
#include "host/viewer/view.h"

#include <math.h>
#include <stdlib.h>

int td_panels_init(struct td_view *view, const struct td_panel *const *panels)
{
    view->panels = panels;
    for (int i = 0; i < TD_PANEL_COUNT; i++) {
        if (!view->panels[i]->state_bytes)
            continue;
        view->panel[i].state = calloc(1, view->panels[i]->state_bytes);
        if (!view->panel[i].state)
            return -1;
    }
    return 0;
}

void td_panels_free(struct td_view *view)
{
    for (int i = 0; i < TD_PANEL_COUNT; i++) {
        free(view->panel[i].state);
        view->panel[i].state = NULL;
    }
}

bool td_panel_always_open(const struct td_view *view)
{
    (void)view;
    return true;
}

bool td_panel_is_open(const struct td_view *view, enum td_panel_id id)
{
    return view->panels[id]->is_open ? view->panels[id]->is_open(view) : view->panel[id].open;
}

void td_panel_set_open(struct td_view *view, enum td_panel_id id, bool open)
{
    view->panel[id].open = open;
}

void *td_panel_state(struct td_view *view, enum td_panel_id id)
{
    return view->panel[id].state;
}

/* ---- places ---- */

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

void td_panels_place(struct td_view *view)
{
    struct td_rect rest = {0, 0, td_ui_width(view->ui), td_ui_height(view->ui)};
    for (int i = 0; i < TD_PANEL_COUNT; i++) {
        const struct td_panel *panel = view->panels[i];
        view->panel[i].placed = !panel->size || td_panel_is_open(view, i);
        if (panel->size && view->panel[i].placed)
            view->panel[i].place = td_dock_cut(&rest, panel->dock, panel->size(view));
    }
    for (int i = 0; i < TD_PANEL_COUNT; i++)
        if (!view->panels[i]->size)
            view->panel[i].place = rest;
}

void td_panels_draw(struct td_view *view)
{
    td_panels_place(view);
    /* Panels handle input while they draw, which may open, close and move other panels. */
    for (int i = 0; i < TD_PANEL_COUNT; i++)
        if (view->panel[i].placed && td_panel_is_open(view, i)) {
            struct td_rect place = view->panel[i].place;
            view->panels[i]->draw(view, &place);
        }
}

/* ---- keys ---- */

static bool close_default(struct td_view *view, enum td_panel_id id)
{
    bool was_open = view->panel[id].open;
    view->panel[id].open = false;
    return was_open;
}

static void close_topmost(struct td_view *view)
{
    td_ui_blur(view->ui);
    for (int i = TD_PANEL_COUNT - 1; i >= 0; i--)
        if (view->panels[i]->close ? view->panels[i]->close(view) : close_default(view, i))
            return;
}

static bool has_key(const struct td_panel *panel, const struct td_key_press *press)
{
    for (size_t k = 0; k < sizeof panel->keys / sizeof *panel->keys; k++)
        if (panel->keys[k].key && panel->keys[k].key == press->key && (!panel->keys[k].ctrl || press->ctrl))
            return true;
    return false;
}

void td_panels_key(struct td_view *view, const struct td_key_press *press)
{
    if (press->key == TD_KEY_ESCAPE) {
        close_topmost(view);
        return;
    }
    for (int i = 0; i < TD_PANEL_COUNT; i++)
        if (has_key(view->panels[i], press)) {
            if (view->panels[i]->open)
                view->panels[i]->open(view);
            else
                view->panel[i].open = !view->panel[i].open;
            return;
        }
    for (int i = 0; i < TD_PANEL_COUNT; i++)
        if (view->panels[i]->take_key && view->panels[i]->take_key(view, press))
            return;
}
