/* A view of a trace: its state, and the functions that change and draw it. */
#ifndef TD_HOST_VIEWER_TIMELINE_VIEW_H
#define TD_HOST_VIEWER_TIMELINE_VIEW_H
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
#include "host/viewer/timeline/gpu_clocks.h"
#include "host/viewer/timeline/history.h"
#include "host/viewer/timeline/lanes.h"
#include "host/viewer/timeline/noc.h"
#include "host/viewer/timeline/panels.h"
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

/* Takes what a live session has added; to be called before a frame, some times a second. True: something has
 * changed. */
bool td_view_refresh(struct td_view *view);
/* Has what is drawn of many zones made by threads from now on; pictures are then drawn from what there is. */
int td_view_use_threads(struct td_view *view, struct td_err *err);
/* What threads make for the view: 0: nothing; 1: it is not there yet; 2: a frame would show it. */
int td_view_background(struct td_view *view);

/* No thread reads the trace, which is to be finished, until td_view_take_loaded(). No frame is to be drawn. */
void td_view_rest(struct td_view *view);
/* The file has been read, and its trace is finished. */
void td_view_take_loaded(struct td_view *view);

/* limits.c */
/* The range that the panels count; false: the whole trace. */
bool td_view_limits(const struct td_view *view, int64_t *from_ns, int64_t *to_ns);
/* Changes when the range changes, or when the trace has grown and nothing is being counted, some times a
 * second: a part of the key of jobs. */
uint64_t td_view_limits_key(const struct td_view *view);
/* Draws the choice of the range with its right edge at `right`; returns its left edge. */
float td_draw_limits(struct td_view *view, float right, float y, float height);
float td_limits_width(const struct td_view *view);

/* facts.c */
int td_view_read_facts(struct td_view *view, struct td_err *err);
/* Arranges them anew if the settings of rows have changed. */
void td_view_check_rows(struct td_view *view);
/* row_kinds.c: names the kinds of rows that the trace has and a setting hides; false: none. Shows all of them. */
bool td_view_hidden_kinds(const struct td_view *view, char *text, size_t bytes);
void td_view_show_kinds(struct td_view *view);
/* Arranges the rows anew, as the grouping and the order of lanes say. 0; TD_E_NOMEM: nothing has changed. */
int td_view_arrange_rows(struct td_view *view, struct td_err *err);
void td_view_free_facts(struct td_view *view);
/* The range of values in which the plot is drawn. */
void td_view_plot_range(const struct td_view *view, uint32_t plot, double *low, double *high);

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
/* The upper edge of the zone's row, or of a row in the collapsed group that hides it; false: no such row. */
bool td_view_zone_y(const struct td_view *view, struct td_zone_ref ref, float *y);
/* The handle of the scroll bar; false: all rows are visible. */
bool td_view_scroll_handle(const struct td_view *view, float *top, float *bottom);
void td_view_place_rows(struct td_view *view); /* after nodes were collapsed or expanded */
struct td_zone td_view_zone(const struct td_view *view, struct td_zone_ref ref);
double td_view_zone_end(const struct td_view *view,
                        const struct td_zone *zone); /* of an open zone: the end of the trace */
/* The colour that the zone has on the timeline. */
td_rgba td_view_zone_color(const struct td_view *view, struct td_zone_ref ref, const struct td_zone *zone);
struct td_zone_coloring td_view_coloring(const struct td_view *view);
int64_t td_view_self_ns(struct td_view *view, struct td_zone_ref ref);

/* empty_rows.c: to be called once a frame */
void td_view_hide_empty(struct td_view *view);

/* navigate.c */
void td_view_search(struct td_view *view, const char *text); /* a filter; NULL: again */
void td_view_search_name(struct td_view *view, const char *name);
/* Selects the match after (or before) the selected zone, or after the start of the visible range, and
 * shows it. */
void td_view_next_match(struct td_view *view, bool forward);
/* Scrolls and pans to the zone; `fill`: zooms to it. */
void td_view_show_zone(struct td_view *view, struct td_zone_ref zone, bool fill);
/* The same without a change of zoom. */
void td_view_follow_zone(struct td_view *view, struct td_zone_ref zone);
/* Scrolls to a row of the node, and expands what hides it. */
void td_view_show_row(struct td_view *view, int node, uint32_t row);
void td_view_collapse(struct td_view *view, bool collapsed);
/* Zooms to the marked range, which ends, or else to the selected zone. */
void td_view_zoom_to_choice(struct td_view *view);
/* Chooses the note and moves to it. */
void td_view_show_note(struct td_view *view, size_t index);
void td_view_follow_newest(struct td_view *view); /* goes to the newest events, and follows */
void td_view_follow_frames(struct td_view *view); /* follows the newest three frames, or no longer */
/* Selects the zone and shows its details, or selects none (TD_NO_ZONE). */
void td_view_select(struct td_view *view, struct td_zone_ref zone);

/* input.c */
void td_view_keys(struct td_view *view);
void td_view_mouse(struct td_view *view, float overview_top);
bool td_timeline_key(struct td_view *view, const struct td_key_press *press);
/* Whether a drag from x moves an edge of the marked range: its end, or its start. */
bool td_view_range_edge(const struct td_view *view, float x, bool *end);
/* input_tracy.c: the mouse as in Tracy's viewer. */
bool td_tracy_mouse(const struct td_view *view);
double td_tracy_wheel(const struct td_view *view, float notches); /* by what the range is multiplied */
/* The end of a drag of the middle button: zooms to the range that it passed, with Ctrl out of it; of a click: to
 * what is under the mouse. */
void td_tracy_end_zoom(struct td_view *view);
void td_tracy_zoom_node(struct td_view *view, int node); /* to all that is in the rows */
extern const struct td_help_line td_tracy_help[];

/* draw_zones.c */
void td_draw_zones(struct td_view *view, const struct td_node *node, float y);
void td_draw_flows(struct td_view *view);
void td_draw_flow_arrow(struct td_view *view, const struct td_flow_pair *pair, td_rgba color);
/* A curve from left to right, with a head at its end. */
void td_draw_arrow(struct td_view *view, float x0, float y0, float x1, float y1, td_rgba color);
/* draw_transfers.c: over the NoC, of the selected zone and the one under the mouse, or all that are visible. */
void td_draw_transfers(struct td_view *view);
/* draw_bands.c */
/* Draws the band, of which the times from_ns to to_ns are to be seen. */
typedef void td_band_draw(void *self, const struct td_band *band, const struct td_band_key *key,
                          double from_ns, double to_ns);
/* Draws the bands of a row (or of a group with that list) from start_ns to end_ns, with cells of at least
 * cell_ns. Bands of other scales stand in for those that are being made. */
void td_draw_bands(struct td_view *view, uint32_t track, uint32_t row, struct td_track_list *list,
                   double start_ns, double end_ns, double cell_ns, td_band_draw *draw, void *self);
/* Tells the cache what bands are made of now. */
void td_view_begin_bands(struct td_view *view);
/* draw_frame_lines.c */
bool td_view_has_frames(const struct td_view *view, uint32_t set);
void td_draw_frame_lines(struct td_view *view);
/* Marks frames that take longer than the target, if the user wants that. */
void td_draw_frame_targets(struct td_view *view);
/* Selects a frame of the chosen set and pans to it; `fill`: zooms to it. */
void td_view_show_frame(struct td_view *view, size_t frame, bool fill);
void td_view_next_frame(struct td_view *view, bool forward);
/* Chooses the next frame set that has frames; the name of the chosen one. */
void td_view_next_frame_set(struct td_view *view);
const char *td_view_frame_set_name(const struct td_view *view);
/* Goes to the frame of the chosen set that has the number in the text, "12" or "#12". False: there is none. */
bool td_view_show_frame_number(struct td_view *view, const char *text);
/* draw_chain.c: the chain of the selected zone, and where it runs. */
void td_draw_chain(struct td_view *view);
/* Selects the zone that the selected one waited for, or (`back` false) the one that waited for it. */
void td_view_follow_chain(struct td_view *view, bool back);
/* draw_density.c */
void td_draw_density(struct td_view *view, int node, float y, float height);
void td_draw_overview(struct td_view *view, float y, float height);
/* draw_messages.c */
/* The tip for the messages of the first track in the node that has any in that time. */
void td_closed_message_tip(struct td_view *view, int node, double from_ns, double to_ns);
void td_draw_messages(struct td_view *view, const struct td_node *node, float y);
/* draw_plots.c */
void td_draw_plot(struct td_view *view, const struct td_node *node, float y);
/* The least or greatest value of a row, at the left edge. */
void td_draw_plot_limit(struct td_view *view, float y, double value, int format);
/* draw_frames.c */
void td_draw_frames(struct td_view *view, const struct td_node *node, float y);
/* draw_errors.c */
struct td_time_errors td_time_errors_read(const struct td_trace *trace);
/* `chosen`: the zone is selected or under the mouse. */
void td_draw_zone_errors(struct td_view *view, const struct td_track *track, const struct td_zone *zone,
                         bool chosen, float y0, float y1);
/* draw_sections.c */
void td_draw_sections(struct td_view *view, const struct td_node *node, float y);
/* draw_runs.c */
void td_draw_runs(struct td_view *view, const struct td_node *node, float y);
/* draw_samples.c, draw_switches.c, draw_ghosts.c, draw_cpus.c */
void td_draw_samples(struct td_view *view, const struct td_node *node, float y);
void td_draw_switches(struct td_view *view, const struct td_node *node, float y);
void td_draw_ghosts(struct td_view *view, const struct td_node *node, float y);
void td_draw_cpu(struct td_view *view, const struct td_node *node, float y);
void td_draw_cpu_usage(struct td_view *view, const struct td_node *node, float y, float height);
/* Lines between the processors that the thread under the mouse, or the selected one, ran on. */
void td_draw_migrations(struct td_view *view);
/* draw_memory.c: the use of a memory pool. */
void td_draw_memory(struct td_view *view, const struct td_node *node, float y);
/* draw_locks.c */
void td_draw_lock(struct td_view *view, const struct td_node *node, float y);
/* draw_axis.c */
void td_draw_grid(struct td_view *view);
void td_draw_ruler(struct td_view *view, float y, float height);
/* draw_notes.c */
void td_draw_notes(struct td_view *view, float ruler_y);
/* draw_tree.c */
void td_draw_labels(struct td_view *view);
/* draw_lanes.c */
/* Lights the lane that is selected, or that the mouse is over in another panel; `x` is where its label
 * begins. */
void td_draw_lane_light(struct td_view *view, const struct td_node *node, float y, float x);
/* What is filtered or hidden, in the corner above the labels. */
void td_draw_lane_corner(struct td_view *view, float y, float height);
/* tooltip.c */
void td_tooltip(struct td_view *view);
/* Sets the tooltip of this frame: a title and lines of the form "label\tvalue\n". */
void td_tip(struct td_view *view, const char *title, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The tooltip of a frame, with its image. `more`: further lines. */
void td_frame_tip(struct td_view *view, uint32_t set, size_t frame, const char *more);
#endif
