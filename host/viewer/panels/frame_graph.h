/* A graph of the frames of a set: a bar for each, or the longest of several, with lines at the target. A click goes to a
 * frame, a drag shows those that it passes; the wheel zooms, a drag with the right button moves the graph, a click with
 * it opens a menu. The panel Frames has one, and the strip above the timeline has one or two. */
#pragma once
#include "host/query/rows/frame_times.h"
#include "host/viewer/model/panel.h"
#include "host/viewer/panels/frames_found.h"
#include "host/viewer/ui/color.h"

struct td_frame_graph { /* all zero: nothing was counted */
    struct td_job job;
    const struct td_trace *trace; /* the request of the job */
    uint32_t set;
    int64_t now_ns;
    struct td_frame_times made, shown;
    uint32_t shown_set, graph_set;
    bool any;
    bool linear; /* height of the bars */
    /* The part of the graph that is visible, and how it was laid out last. */
    double first, per_pixel; /* frames; per_pixel 0: all */
    size_t selected;         /* the frame that was shown last, counted from 1 */
    double drag_first;
    float drag_x;
    int dragged; /* 1 + the mouse button; 0: none */
    bool drag_moved;
};

/* Counts the lengths of the set's frames in the background, if they have changed. */
void td_frame_graph_update(struct td_view *view, struct td_frame_graph *graph, uint32_t set);
/* Whether the set of the last update was counted, and has frames. */
bool td_frame_graph_is_ready(const struct td_view *view, const struct td_frame_graph *graph);
/* Draws it if it is ready, and takes the mouse; `found` is marked in it, and may be NULL. */
void td_frame_graph_draw(struct td_view *view, struct td_frame_graph *graph, const struct frames_found *found,
                         const struct td_rect *place);
void td_frame_graph_free(struct td_frame_graph *graph);
/* Of a frame of that length, by the target. */
td_rgba td_frame_color(const struct td_view *view, double ns);
