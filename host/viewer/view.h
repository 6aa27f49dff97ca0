/* Inside of the viewer: the state of the one window; only files of this folder and tests include it. */
#ifndef TD_HOST_VIEWER_VIEW_H
#define TD_HOST_VIEWER_VIEW_H
#include "host/viewer/camera.h"
#include "host/viewer/color.h"
#include "host/viewer/find.h"
#include "host/viewer/flow.h"
#include "host/viewer/format.h"
#include "host/viewer/imgui_shim.h"
#include "host/viewer/layout.h"
#include "host/viewer/panel.h"
#include "host/viewer/viewer.h"

/* How busy the cores of a node are, in cells of a few pixels; kept while the range is the same. */
struct td_density {
    double start_ns, cell_ns;
    int cells;
    float *busy, *waits; /* one allocation */
};

enum td_drag { TD_DRAG_NONE, TD_DRAG_PAN, TD_DRAG_MEASURE, TD_DRAG_OVERVIEW, TD_DRAG_SCROLL };

struct td_view {
    struct td_ui *ui;
    struct td_trace *trace;
    const struct td_dict *dict;
    const char *path;
    float scale;
    struct td_layout layout;
    struct td_metrics metrics;
    struct td_camera camera;
    float scroll, to_scroll;

    /* Facts about the trace. */
    int64_t first_ns, last_ns;
    uint64_t zones;
    uint32_t cores;
    bool has_waits;
    struct td_marks lost; /* stalls and gaps */
    struct td_flows flows;
    double *plot_range; /* least and greatest of each plot */

    /* This frame: the timeline's panel, in it the area of the rows, and what the mouse is at. */
    struct td_rect panel_area;
    float left, top, right, bottom;
    double ns_per_pixel;
    struct td_zone_ref hover;
    int hover_node; /* -1: none */
    char tip[1200]; /* "" or what the tooltip says besides the hovered zone: title, then lines */

    /* What the user chose. */
    struct td_zone_ref selected;
    struct td_find find;
    enum td_drag drag;
    float drag_x, drag_y;
    bool drag_moved;
    bool measured;
    double measure_from_ns, measure_to_ns;

    /* Kept between frames. */
    struct td_panel_slot panel[TD_PANEL_COUNT];
    struct td_density *density; /* one a node */
    struct td_density overview;
    struct td_zone_ref self_of; /* zone whose own time is known */
    int64_t self_ns;
};

#define TD_OVERVIEW_HEIGHT 30
#define TD_U(view, pixels) ((pixels) * (view)->scale)

int td_view_init(struct td_view *view, struct td_ui *ui, struct td_trace *trace, const char *path,
                 struct td_err *err);
void td_view_free(struct td_view *view);
/* Takes input and draws one frame, between td_ui_begin() and td_ui_end(). True: something still moves. */
bool td_view_frame(struct td_view *view);

/* geometry.c */
float td_view_x(const struct td_view *view, double ns); /* clamped to a little outside of the rows' area */
double td_view_time(const struct td_view *view, float x);
/* Where a zone is drawn: its row's upper edge on the screen; false: it has none. */
bool td_view_zone_y(const struct td_view *view, struct td_zone_ref ref, float *y);
void td_view_place_rows(struct td_view *view); /* after the tree was opened or closed */
struct td_zone td_view_zone(const struct td_view *view, struct td_zone_ref ref);
double td_view_zone_end(const struct td_view *view,
                        const struct td_zone *zone); /* an open one's: the trace's */
int64_t td_view_self_ns(struct td_view *view, struct td_zone_ref ref);

/* navigate.c */
void td_view_search(struct td_view *view, const char *text);
/* Selects the next match behind (or before) the selected one or the middle of the view, and goes there. */
void td_view_next_match(struct td_view *view, bool forward);
void td_view_show_zone(struct td_view *view, struct td_zone_ref zone, bool fill);
void td_view_collapse(struct td_view *view, bool collapsed);

/* input.c */
void td_view_keys(struct td_view *view);
void td_view_mouse(struct td_view *view, float overview_top);
bool td_timeline_key(struct td_view *view, const struct td_key_press *press);

/* draw_zones.c */
void td_draw_zones(struct td_view *view, const struct td_node *node, float y);
void td_draw_flows(struct td_view *view);
/* draw_rows.c */
void td_draw_density(struct td_view *view, int node, float y, float height);
void td_draw_messages(struct td_view *view, const struct td_node *node, float y);
void td_draw_plot(struct td_view *view, const struct td_node *node, float y);
void td_draw_frames(struct td_view *view, const struct td_node *node, float y);
/* draw_axis.c */
void td_draw_grid(struct td_view *view);
void td_draw_ruler(struct td_view *view, float y, float height);
void td_draw_overview(struct td_view *view, float y, float height);
/* draw_tree.c */
void td_draw_labels(struct td_view *view);
/* tooltip.c */
void td_tooltip(struct td_view *view);
/* Says `title`, then "label\tvalue\n" lines, at the mouse. */
void td_tip(struct td_view *view, const char *title, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#endif
