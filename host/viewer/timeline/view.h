/* The state of the viewer and its inner functions; included by this folder, its tests and benchmarks only. */
#ifndef TD_HOST_VIEWER_TIMELINE_VIEW_H
#define TD_HOST_VIEWER_TIMELINE_VIEW_H
#include "host/file/load.h"
#include "host/query/rows/locks.h"
#include "host/viewer/model/annotations.h"
#include "host/query/flows/chain.h"
#include "host/query/facts/losses.h"
#include "host/query/ops/operation_chain.h"
#include "host/viewer/timeline/camera.h"
#include "host/viewer/ui/color.h"
#include "host/query/sums/find.h"
#include "host/query/flows/flow.h"
#include "host/query/table/format.h"
#include "host/viewer/timeline/gpu_clocks.h"
#include "host/viewer/timeline/history.h"
#include "host/viewer/timeline/noc.h"
#include "host/viewer/model/source_paths.h"
#include "host/viewer/ui/imgui_shim.h"
#include "host/viewer/ui/strip.h"
#include "host/viewer/timeline/lanes.h"
#include "host/viewer/timeline/layout.h"
#include "host/viewer/model/live.h"
#include "host/viewer/timeline/saved_views.h"
#include "host/viewer/timeline/choices.h"
#include "host/query/rows/messages.h"
#include "host/viewer/timeline/panels.h"
#include "host/viewer/timeline/range_sums.h"
#include "host/query/flows/scan.h"
#include "host/viewer/timeline/band_cache.h"
#include "host/viewer/timeline/memory_curves.h"
#include "host/viewer/timeline/ghost_cache.h"
#include "host/viewer/timeline/pictures.h"
#include "host/viewer/timeline/row_map.h"
#include "host/viewer/timeline/spot.h"

/* Least and greatest finite value of the first `points` points of a plot. */
struct td_plot_range {
    double low, high;
    size_t points;
};

/* A call stack that was sampled, on the timeline or in a panel. */
enum td_stack_kind {
    TD_STACK_NONE,
    TD_STACK_SAMPLE, /* index: of the track's SAMPLE rows */
    TD_STACK_SWITCH, /* of its SWITCH_SAMPLE rows */
    TD_STACK_ROW     /* any other: index is the row of STACK */
};
struct td_stack_spot {
    enum td_stack_kind kind;
    uint32_t track;
    uint64_t index;
};

/* The part of the trace that tables and histograms count: all of it, or the zones that lie within the visible
 * range or the one that the user has marked. */
enum td_limit { TD_LIMIT_NONE, TD_LIMIT_VISIBLE, TD_LIMIT_MARKED };

/* How exact times are, in ns; 0: not known. */
struct td_time_errors {
    double cost_ns;       /* of recording the start or the end of a zone */
    double resolution_ns; /* of the clock of the program */
    double device_ns;     /* bound on the error of a device's times, in both directions */
};

struct td_time_span {
    bool used;
    double from_ns, to_ns;
};

enum td_drag { TD_DRAG_NONE, TD_DRAG_PAN, TD_DRAG_MEASURE, TD_DRAG_ZOOM, TD_DRAG_OVERVIEW, TD_DRAG_SCROLL };

#define TD_DESCRIPTION_BYTES 400

/* What a panel wants of the window around it. */
enum td_wish {
    TD_WISH_NONE,
    TD_WISH_OPEN,  /* the welcome page */
    TD_WISH_CLOSE, /* this page, after a question if it is not saved */
    TD_WISH_RECONNECT,
    TD_WISH_SCALE,   /* another scale, among the settings */
    TD_WISH_SETTINGS /* the settings were changed: use and keep them */
};

struct td_view {
    struct td_ui *ui;
    struct td_trace *trace;
    const struct td_dict *dict;
    const char *path;
    uint64_t file_sum;                  /* td_trace_file_sum(): of a trace that has no time of capture */
    uint32_t file_version;              /* of the trace's file; 0: none, or not read yet */
    const struct td_load_options *load; /* how other traces are read; NULL: the defaults */
    struct td_source_paths source_paths;
    float scale;
    struct td_layout layout;
    struct td_metrics metrics;
    struct td_camera camera;
    float scroll, to_scroll;
    bool scrolling; /* the last frame has scrolled */

    enum td_wish wish;
    struct td_settings *settings; /* of the window; NULL: those of the picture */
    struct td_settings own_settings;
    float inset; /* pixels at the top of the window that are not the view's: the tabs */

    /* A session whose trace still grows; NULL: a trace from a file. */
    struct td_live *live;
    bool loading; /* the file of the trace is still being read, or its zones are being counted */
    int64_t
        rests_ms; /* since when a thread finishes the model, which must not be read or drawn; 0: none does */
    enum td_live_state live_state; /* at the last refresh */
    bool newest_frames;            /* the range that follows is that of the newest three frames */
    char live_end[200];            /* why the session ended early; "": it did not */
    uint64_t layout_key;           /* of the rows as they are arranged now */
    unsigned refreshes;

    /* Facts about the trace. */
    int64_t first_ns, last_ns;
    uint64_t zones;
    uint32_t cores;
    bool has_waits, has_losses;
    double settled_ns;    /* zones before that change no more; INFINITY: none does */
    struct td_marks lost; /* zones that mark lost data and stalls */
    struct td_loss_counts losses;
    struct td_flows flows;
    struct td_time_errors errors;
    struct td_locks locks;
    struct td_sections sections;
    struct td_fiber_runs fibers;
    struct td_switches switches;
    bool lacks_switches;              /* more of them are to be read */
    uint64_t stack_count, stack_next; /* of a growing trace, their functions are counted in turns */
    uint16_t *stack_depths;           /* of each row of STACK; NULL: there are no samples */
    struct td_ghost_cache ghosts;
    struct td_memory_curves memory;
    unsigned row_choices; /* that the rows are arranged by */
    struct td_gpu_clocks gpu;
    struct td_plot_range *plots;
    size_t plot_capacity;
    uint32_t plot_count;
    struct td_messages messages; /* of each track, in a live session */
    struct td_scan scan;

    /* This frame: the timeline's panel, the area of its rows, and the zone under the mouse. */
    struct td_rect panel_area;
    float left, top, right, bottom; /* of the rows that scroll */
    float pins_top;                 /* the pinned rows are between this and `top` */
    double ns_per_pixel, pixels_per_ns;
    double origin_ns; /* the time at `left`, which is that of a whole pixel since time 0 */
    struct td_zone_ref hover;
    uint32_t hover_srcloc;            /* of that zone; TD_SUM_MIXED: none */
    int hover_node;                   /* -1: none */
    struct td_time_span hover_span;   /* of the frame, section or run under the mouse */
    uint32_t hover_set;               /* of the frame under the mouse */
    size_t hover_frame;               /* counted from 1; 0: none */
    size_t hover_message;             /* under the mouse, counted from 1; 0: none */
    struct td_stack_spot hover_stack; /* that a click shows */
    uint32_t hover_pool;              /* of memory, counted from 1; 0: none */
    uint64_t hover_thread;            /* whose run is under the mouse; 0: none */
    size_t drawn;                     /* zones, and cells with zones, in the rows of the timeline */
    char tip[1200];    /* text of a tooltip instead of the hovered zone's: title, then lines; "": none */
    int64_t tip_image; /* an image below the text, counted from 1; 0: none */
    bool plays;        /* a panel plays something: the next frame is to be drawn at once */

    /* What the user chose. */
    struct td_zone_ref selected;
    struct td_spot spot;
    struct td_spot pointed; /* what the line under the mouse in a list is about; of one frame */
    uint32_t frame_set;     /* the chosen one */
    size_t frame;           /* the selected frame of it, counted from 1; 0: none */
    struct td_chain chain;  /* of the selected zone */
    struct td_operation_chain operation_chain; /* of the chosen operation, while its panel is open */
    size_t message;                            /* number of the selected message, counted from 1; 0: none */
    bool details_opened;                       /* by the selection: they close with it */
    struct td_history history;
    struct td_find find;
    enum td_drag drag;
    int drag_button;               /* enum td_mouse_button that began it */
    struct td_time_span zoom_span; /* that the drag will zoom to */
    float drag_x, drag_y;
    bool drag_moved;
    bool measured;
    bool arranged;            /* rows were collapsed or expanded */
    enum td_grouping grouped; /* of the rows as they are arranged now */
    double measure_from_ns, measure_to_ns;

    struct td_saved_views saved;
    struct td_row_map row_map;
    struct td_annotations notes;
    int note; /* the chosen note, counted from 1; 0: none */

    /* What commands want of the loop that draws (driver.h): files to write, and the end. */
    char *wanted_png, *wanted_drawing;
    bool quit;
    bool discards;                          /* the end asks no question about sessions that are in no file */
    char description[TD_DESCRIPTION_BYTES]; /* of the trace, by the user */
    char notice[400];                       /* what a command said; "": nothing */

    /* Kept between frames. */
    const struct td_panel *const *panels;
    struct td_panel_slot panel[TD_PANEL_COUNT];
    struct td_region region[TD_REGION_COUNT];
    enum td_panel_id focus; /* the panel that is offered keys first */
    enum td_limit limit;
    /* When panels began to count a trace that grows for the last time. */
    uint64_t counted, counted_zones; /* counted: rises each time */
    int64_t counted_ms;
    struct td_range_sums sums;
    struct td_view_noc noc;
    struct td_lanes lanes;
    bool has_threads;   /* see td_view_use_threads() */
    bool hides_empty;   /* tracks that are empty in the visible range are hidden */
    uint64_t empty_key; /* what they were found by */
    bool has_found;     /* the search has found more since the last frame */
    struct td_bands *bands;
    struct td_pictures pictures;        /* of frames */
    struct td_track_list **track_lists; /* of each node, then of the whole trace; NULL: not made yet */
    unsigned arrangement;               /* counts how often the rows were arranged */
    struct td_zone_ref self_of;         /* the zone whose self time is self_ns */
    int64_t self_ns;
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
/* Clamped to 32 pixels outside the rows' area. Called for each item: without calls of the C library. */
static inline float td_view_x(const struct td_view *view, double ns)
{
    double x = (ns - view->origin_ns) * view->pixels_per_ns;
    const double most = view->right - view->left + 32;
    x = x < most ? x : most;
    return view->left + (float)(x > -32 ? x : -32);
}
double td_view_time(const struct td_view *view, float x);
/* Over the whole width of the rows. */
static inline struct td_pixel_strip td_view_strip(const struct td_view *view, float y0, float y1)
{
    return (struct td_pixel_strip){.ui = view->ui, .x0 = view->left, .y0 = y0, .x1 = view->right, .y1 = y1};
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
