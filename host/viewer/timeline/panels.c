/* The layout, the drawing and the keys of the panels. */
#include "host/base/clock.h"
#include "host/base/err.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"

#include <stdlib.h>
#include <string.h>

int td_panels_init(struct td_view *view, const struct td_panel *const *panels)
{
    view->panels.table = panels;
    view->panels.focus = TD_PANEL_TIMELINE;
    view->panels.begun_ms = td_mono_ms();
    td_regions_init(view);
    for (int i = 0; i < TD_PANEL_COUNT; i++) {
        if (!view->panels.table[i]->state_bytes)
            continue;
        view->panels.slot[i].state = calloc(1, view->panels.table[i]->state_bytes);
        if (!view->panels.slot[i].state)
            return TD_E_NOMEM;
    }
    return 0;
}

void td_panels_free(struct td_view *view)
{
    for (int i = 0; i < TD_PANEL_COUNT; i++) {
        if (view->panels.slot[i].state && view->panels.table[i]->free_state)
            view->panels.table[i]->free_state(view);
        free(view->panels.slot[i].state);
        view->panels.slot[i].state = NULL;
    }
}

bool td_panels_busy(const struct td_view *view)
{
    if (view->sums.job.running || view->plot_stats.job.running)
        return true;
    for (int i = 0; i < TD_PANEL_COUNT; i++)
        if (view->panels.table[i]->is_busy && td_panel_is_open(view, i) &&
            view->panels.table[i]->is_busy(view))
            return true;
    return false;
}

/* ---- places ---- */

void td_panels_place(struct td_view *view)
{
    struct td_rect rest = {0, view->panels.inset, td_ui_width(view->ui), td_ui_height(view->ui)};
    for (int i = 0; i < TD_PANEL_COUNT; i++) {
        const struct td_panel *panel = view->panels.table[i];
        view->panels.slot[i].placed = !panel->size || td_panel_is_open(view, i);
        if (panel->size && view->panels.slot[i].placed)
            view->panels.slot[i].place = td_dock_cut(&rest, panel->dock, panel->size(view));
    }
    td_regions_place(view, &rest);
    for (int i = 0; i < TD_PANEL_COUNT; i++)
        if (!view->panels.table[i]->size && !view->panels.table[i]->title)
            view->panels.slot[i].place = rest;
}

/* A click gives the keyboard to the panel under the mouse. */
static void follow_click(struct td_view *view)
{
    float x = td_ui_mouse_x(view->ui), y = td_ui_mouse_y(view->ui);
    if (!td_ui_mouse_pressed(view->ui, TD_MOUSE_LEFT))
        return;
    view->panels.focus = TD_PANEL_TIMELINE;
    for (int r = 0; r < TD_REGION_COUNT; r++) {
        const struct td_rect *p = &view->panels.region[r].place;
        if (view->panels.region[r].open && x >= p->left && x < p->right && y >= p->top && y < p->bottom)
            view->panels.focus = (enum td_panel_id)view->panels.region[r].current;
    }
}

void td_panels_draw(struct td_view *view)
{
    td_panels_place(view);
    follow_click(view);
    view->hover.tip[0] = 0; /* each panel may set one */
    view->hover.tip_image = 0;
    view->selection.pointed.used = false; /* the same */
    td_regions_draw(view);
    td_tabs_drag(view);
    /* Panels handle input while they draw, which may open, close and move other panels. */
    for (int i = 0; i < TD_PANEL_COUNT; i++)
        if (view->panels.slot[i].placed && !view->panels.table[i]->title && td_panel_is_open(view, i)) {
            struct td_rect place = view->panels.slot[i].place;
            view->panels.table[i]->draw(view, &place);
        }
    td_tooltip(view); /* above all regions */
}

/* ---- keys ---- */

static bool close_default(struct td_view *view, enum td_panel_id id)
{
    bool was_open = td_panel_is_open(view, id);
    if (was_open)
        td_panel_set_open(view, id, false);
    return was_open;
}

static void close_topmost(struct td_view *view)
{
    td_ui_blur(view->ui);
    for (int i = TD_PANEL_COUNT - 1; i >= 0; i--)
        if (view->panels.table[i]->close ? view->panels.table[i]->close(view) : close_default(view, i))
            return;
}

static bool has_key(const struct td_panel *panel, const struct td_key_press *press, bool with_shift)
{
    for (size_t k = 0; k < sizeof panel->keys / sizeof *panel->keys; k++)
        if (panel->keys[k].key && panel->keys[k].key == press->key && panel->keys[k].ctrl == press->ctrl &&
            panel->keys[k].shift == with_shift)
            return true;
    return false;
}

/* The panel that the key opens; TD_PANEL_COUNT: none. A panel with Shift comes before one without. */
static int panel_of_key(const struct td_view *view, const struct td_key_press *press)
{
    for (int with_shift = press->shift && !press->ctrl; with_shift >= 0; with_shift--)
        for (int i = 0; i < TD_PANEL_COUNT; i++)
            if (has_key(view->panels.table[i], press, with_shift))
                return i;
    return TD_PANEL_COUNT;
}

void td_panels_key(struct td_view *view, const struct td_key_press *press)
{
    if (press->key == TD_KEY_ESCAPE) {
        close_topmost(view);
        return;
    }
    const int opened = panel_of_key(view, press);
    if (opened < TD_PANEL_COUNT) {
        if (view->panels.table[opened]->open)
            view->panels.table[opened]->open(view);
        else
            td_panel_set_open(view, opened, !td_panel_is_open(view, opened));
        return;
    }
    if (td_regions_key(view, press))
        return;
    /* What covers the window comes first, then the panel that has the keyboard. */
    for (int i = TD_PANEL_COUNT - 1; i >= 0; i--)
        if (view->panels.table[i]->dock == TD_DOCK_OVERLAY && view->panels.slot[i].open &&
            view->panels.table[i]->take_key && view->panels.table[i]->take_key(view, press))
            return;
    if (press->ctrl && !press->shift && !press->alt && press->key == 'c' &&
        td_panel_has_keys(view, view->panels.focus) && td_panel_copy(view, view->panels.focus, TD_COPY_LINES))
        return;
    const struct td_panel *focus = view->panels.table[view->panels.focus];
    if (focus->take_key && td_panel_is_open(view, view->panels.focus) && focus->take_key(view, press))
        return;
    for (int i = 0; i < TD_PANEL_COUNT; i++)
        if (view->panels.table[i]->take_key && view->panels.table[i]->take_key(view, press))
            return;
}
