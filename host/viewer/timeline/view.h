/* A view of a trace: its state, and the functions that change and draw it. */
#pragma once
#include "host/query/sums/find.h"
#include "host/query/table/format.h"
#include "host/viewer/model/annotations.h"
#include "host/viewer/model/view_model.h"
#include "host/viewer/model/wishes.h"
#include "host/viewer/timeline/area.h"
#include "host/viewer/timeline/band_cache.h"
#include "host/viewer/timeline/camera.h"
#include "host/viewer/timeline/choices.h"
#include "host/viewer/timeline/drag.h"
#include "host/viewer/timeline/drawn.h"
#include "host/viewer/timeline/history.h"
#include "host/viewer/timeline/lanes.h"
#include "host/viewer/timeline/noc.h"
#include "host/viewer/timeline/panels.h"
#include "host/viewer/timeline/plot_stats.h"
#include "host/viewer/timeline/range_sums.h"
#include "host/viewer/timeline/row_state.h"
#include "host/viewer/timeline/saved_views.h"
#include "host/viewer/timeline/selection.h"
#include "host/viewer/ui/color.h"
#include "host/viewer/ui/strip.h"

struct td_view {
    struct td_ui *ui;
    float scale;
    struct td_view_model model;
    struct td_choices choices;
    struct td_annotations notes;
    struct td_saved_views saved;
    /* The rows, and where they are. */
    struct td_layout layout;
    struct td_metrics metrics;
    struct td_row_state rows;
    struct td_lanes lanes;
    struct td_rows_area area;
    struct td_camera camera;
    /* What the user points at, and chose. */
    struct td_hover hover;
    struct td_drag_state drag;
    struct td_selection selection;
    struct td_history history;
    /* What threads find. */
    struct td_find find;
    struct td_range_sums sums;
    struct td_plot_stats plot_stats;
    struct td_view_noc noc;
    struct td_drawn drawn;

    struct td_view_panels panels;
    struct td_wishes wishes;
};

#define TD_OVERVIEW_HEIGHT 30
#define TD_U(view, pixels) ((pixels) * (view)->scale)

/* live: the session that fills the trace, or NULL: the trace is finished. */
int td_view_init(struct td_view *view, struct td_ui *ui, struct td_trace *trace, struct td_live *live,
                 const char *path, struct td_err *err);
/* The same for a trace that is read from a file; td_view_take_loaded() is to be called when it is finished. */
int td_view_init_loading(struct td_view *view, struct td_ui *ui, struct td_trace *trace, const char *path,
                         struct td_err *err);
void td_view_free(struct td_view *view);
/* Notes of a trace that grows in a live session are not kept: it has no name yet. */
void td_view_read_notes(struct td_view *view);
int td_view_save_notes(struct td_view *view, struct td_err *err);
/* Handles input and draws a frame, between td_ui_begin() and td_ui_end(). True: an animation is not
 * finished. */
bool td_view_frame(struct td_view *view);

/* Has what is drawn of many zones made by threads from now on; pictures are then drawn from what there is. */
int td_view_use_threads(struct td_view *view, struct td_err *err);
/* What threads make for the view: 0: nothing; 1: it is not there yet; 2: a frame would show it. */
int td_view_background(struct td_view *view);

/* geometry.c */
void td_view_set_scale(struct td_view *view); /* after the range or the area has changed */
static inline float td_view_x(const struct td_view *view, double ns)
{
    return td_area_x(&view->area, ns);
}
static inline double td_view_time(const struct td_view *view, float x)
{
    return td_area_time(&view->area, x);
}
/* Over the whole width of the rows. */
static inline struct td_pixel_strip td_view_strip(const struct td_view *view, float y0, float y1)
{
    return (struct td_pixel_strip){
        .ui = view->ui, .x0 = view->area.left, .y0 = y0, .x1 = view->area.right, .y1 = y1};
}
/* The upper edge of the node's row. */
float td_view_node_y(const struct td_view *view, const struct td_node *node);
/* The node at y; -1: none. */
int td_view_node_at(const struct td_view *view, float y);
/* The mouse is over the row, to the right of the labels. */
bool td_view_is_over(const struct td_view *view, const struct td_node *node);
/* The upper edge of the zone's row, or of a row in the collapsed group that hides it; false: no such row. */
bool td_view_zone_y(const struct td_view *view, struct td_zone_ref ref, float *y);
/* The handle of the scroll bar; false: all rows are visible. */
bool td_view_scroll_handle(const struct td_view *view, float *top, float *bottom);
void td_view_place_rows(struct td_view *view); /* after nodes were collapsed or expanded */
/* Makes state_of(), the private state of the panel TD_PANEL_`id`. */
#define TD_PANEL_STATE(type, id)                                                                             \
    static struct type *state_of(const struct td_view *view)                                                 \
    {                                                                                                        \
        return view->panels.slot[TD_PANEL_##id].state;                                                       \
    }

struct td_zone td_view_zone(const struct td_view *view, struct td_zone_ref ref);
double td_view_zone_end(const struct td_view *view,
                        const struct td_zone *zone); /* of an open zone: the end of the trace */
/* The colour that the zone has on the timeline. */
td_rgba td_view_zone_color(const struct td_view *view, struct td_zone_ref ref, const struct td_zone *zone);
struct td_zone_coloring td_view_coloring(const struct td_view *view);
int64_t td_view_self_ns(struct td_view *view, struct td_zone_ref ref);

/* empty_rows.c: to be called once a frame */
void td_view_hide_empty(struct td_view *view);
