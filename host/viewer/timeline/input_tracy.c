/* The mouse as in Tracy's viewer: a choice in the options. */
#include "host/viewer/model/gpu_clocks.h"
#include "host/viewer/timeline/input.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/view.h"

#include <math.h>

bool td_tracy_mouse(const struct td_view *view)
{
    return td_view_choice(view, TD_CHOICE_MOUSE);
}

double td_tracy_wheel(const struct td_view *view, float notches)
{
    const double part = td_ui_ctrl(view->ui) ? .05 : td_ui_shift(view->ui) ? .5 : .25;
    return notches > 0 ? pow(1 - part, notches) : pow(1 + part, -notches);
}

void td_tracy_end_zoom(struct td_view *view)
{
    struct td_camera *camera = &view->camera;
    const double from = fmin(view->drag.zoom_span.from_ns, view->drag.zoom_span.to_ns),
                 to = fmax(view->drag.zoom_span.from_ns, view->drag.zoom_span.to_ns);
    const bool dragged = view->drag.zoom_span.used && to > from;
    view->drag.zoom_span.used = false;
    if (dragged && td_ui_ctrl(view->ui)) {
        /* What is visible now is where the range was. */
        const double scale = (camera->end_ns - camera->start_ns) / (to - from);
        td_camera_set_range(camera, camera->start_ns - (from - camera->start_ns) * scale,
                            camera->end_ns + (camera->end_ns - to) * scale, false);
    } else if (dragged) {
        td_camera_set_range(camera, from, to, false);
    } else if (td_ref_valid(view->hover.zone)) {
        td_view_show_zone(view, view->hover.zone, true);
    } else if (view->hover.span.used) {
        td_camera_set_range(camera, view->hover.span.from_ns, view->hover.span.to_ns, false);
    }
}

void td_tracy_zoom_node(struct td_view *view, int number)
{
    const struct td_layout *layout = &view->layout;
    double from = INFINITY, to = -INFINITY;
    for (int i = number; i < layout->nodes[number].end; i++) {
        const struct td_node *node = &layout->nodes[i];
        const size_t zones = node->kind == TD_NODE_TRACK && node->rows
                                 ? td_trace_row_zones(view->model.trace, node->number, 0)
                                 : 0;
        if (!zones)
            continue;
        const struct td_zone first = td_trace_zone(view->model.trace, node->number, 0, 0),
                             last = td_trace_zone(view->model.trace, node->number, 0, zones - 1);
        from = fmin(from, td_view_shown_ns(&view->model, node->number, (double)first.start_ns));
        to = fmax(to, td_view_shown_ns(&view->model, node->number, td_view_zone_end(view, &last)));
    }
    if (from < to)
        td_camera_set_range(&view->camera, from, to, false);
}

const struct td_help_line td_tracy_help[] = {
    {"Wheel, with Ctrl, with Shift", "zoom at the mouse by 25, 5, 50 %"},
    {"W, S, +, -", "zoom in and out at the mouse"},
    {"Right drag, A, D, arrows", "move through time and tracks"},
    {"Wheel over labels, Page keys", "move through tracks"},
    {"Home, End", "go to the first and last track"},
    {"Left drag", "measure a time range; with Ctrl: count only it"},
    {"Left drag of its edge", "change the range"},
    {"Right click", "mark the time of a zone, frame, section or run"},
    {"Middle drag", "zoom to a time range; with Ctrl: out of it"},
    {"Mouse over a zone", "outline the zones of its source location"},
    {"Click", "select a zone and see its details"},
    {"Click on a frame", "select it, and choose its set"},
    {"Ctrl+click", "all zones of the name; on a frame or message: its image"},
    {"Middle click, double click", "zoom to a zone, frame, section or run of a fiber"},
    {"Click on a label", "collapse and expand a group"},
    {"Middle click on a label", "zoom to what is in its rows"},
    {"Right click on a label, X", "hide the row"},
    {"Shift+X", "show all rows again and unpin them"},
    {"P", "pin the row under the mouse, or unpin it"},
    {0},
};
