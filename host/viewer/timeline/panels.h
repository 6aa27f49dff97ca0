/* What the window does with its panels (model/panel.h) and their regions. */
#pragma once
#include "host/viewer/model/panel.h"
#include "host/viewer/model/region.h"

#include <stdint.h>

/* A tab that the mouse carries to another region. */
struct td_tab_drag {
    int tab; /* 1 + the panel; 0: none */
    bool moves;
    float x, y; /* where it began */
};

struct td_view_panels {
    const struct td_panel *const *table;
    struct td_panel_slot slot[TD_PANEL_COUNT];
    struct td_region region[TD_REGION_COUNT];
    enum td_panel_id focus; /* the panel that is offered keys first */
    int64_t begun_ms;       /* when the view was opened */
    int filled;             /* 1 + the region that fills the window; 0: none does */
    struct td_tab_drag drag;
    float inset;      /* pixels at the top of the window that are not the view's: the tabs */
    bool plays;       /* a panel plays something: the next frame is to be drawn at once */
    char notice[400]; /* what a command said; "": nothing */
};

/* Cuts `size` pixels from an edge of `rest` and returns them. TD_DOCK_CENTRE and TD_DOCK_OVERLAY: returns
 * all of `rest` and leaves it as it is. */
struct td_rect td_dock_cut(struct td_rect *rest, enum td_dock dock, float size);

int td_panels_init(struct td_view *view, const struct td_panel *const *panels);
void td_panels_free(struct td_view *view);
/* Sets the place of each panel; to be called again after a panel opened or closed. */
void td_panels_place(struct td_view *view);
void td_panels_draw(struct td_view *view);
/* Something is still computed in the background. */
bool td_panels_busy(const struct td_view *view);
/* Handles a key: Esc closes, a key of a panel opens it, other keys are offered to the panels. */
void td_panels_key(struct td_view *view, const struct td_key_press *press);

/* The region of a panel; NULL: it is in none. */
struct td_region *td_region_of(struct td_view *view, int panel);
bool td_panel_is_open(const struct td_view *view, enum td_panel_id id);
/* Whether the panel is open and is offered keys first. */
bool td_panel_has_keys(const struct td_view *view, enum td_panel_id id);
void td_panel_set_open(struct td_view *view, enum td_panel_id id, bool open);
/* Offers it a click on what is under the mouse in the timeline; false: it shows no such thing. */
bool td_panel_click(struct td_view *view, enum td_panel_id id);
/* Copies what it says; false: nothing. */
bool td_panel_copy(struct td_view *view, enum td_panel_id id, enum td_copy_form form);
void *td_panel_state(struct td_view *view, enum td_panel_id id);
/* The panel of that name; TD_PANEL_COUNT: none. */
enum td_panel_id td_panel_named(const struct td_view *view, const char *name);
bool td_panel_always_open(const struct td_view *view); /* for is_open */

/* A button at the right end of the bar's row. */
bool td_bar_button(struct td_view *view, struct td_bar_row *row, const char *label, float width);

/* Cuts the places of the open regions from `rest`, and sets those of their panels. */
void td_regions_place(struct td_view *view, struct td_rect *rest);
/* Draws the tabs and splitters, and takes their input. */
void td_regions_draw(struct td_view *view);
bool td_regions_key(struct td_view *view, const struct td_key_press *press);
/* Gives the keyboard to the next open region, or to the timeline. */
void td_region_next_focus(struct td_view *view, int step);
/* Whether the panel is a tab of the region. */
bool td_region_has(const struct td_view *view, int region, int panel);
/* region_moves.c: what the user moves, which the settings keep. */
void td_regions_init(struct td_view *view);
/* Puts tabs where the settings want them, and gives the regions their sizes. */
void td_regions_follow(struct td_view *view);
/* Moves the tab to the region "left", "bottom" or "right", and opens it there. TD_E_USAGE: there is no such region. */
int td_panel_move(struct td_view *view, enum td_panel_id id, const char *region);
/* Exchanges the tabs of two regions. TD_E_USAGE: there is no such region. */
int td_regions_swap(struct td_view *view, const char *one, const char *other);
/* The panel's region fills the window, or no longer does. */
void td_panel_fill(struct td_view *view, enum td_panel_id id);
/* All tabs and sizes are as at first. */
void td_regions_reset(struct td_view *view);
/* The mouse goes down on a tab. */
void td_tab_grab(struct td_view *view, int panel);
/* Draws where a tab that is carried would go, and puts it there. */
void td_tabs_drag(struct td_view *view);
