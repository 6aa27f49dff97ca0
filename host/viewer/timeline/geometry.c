/* Screen coordinates of times, rows and zones, and the times of a zone. */
#include "host/viewer/timeline/lod.h"
#include "host/viewer/timeline/view.h"

#include <math.h>

/* While the picture pans, everything moves by whole pixels together. */
void td_view_set_scale(struct td_view *view)
{
    view->area.ns_per_pixel =
        (view->camera.end_ns - view->camera.start_ns) / (view->area.right - view->area.left);
    view->area.pixels_per_ns = 1 / view->area.ns_per_pixel;
    view->area.origin_ns = round(view->camera.start_ns / view->area.ns_per_pixel) * view->area.ns_per_pixel;
}

bool td_view_scroll_handle(const struct td_view *view, float *top, float *bottom)
{
    const float area = view->area.bottom - view->area.top, all = view->layout.height;
    const float high = fminf(fmaxf(area * area / fmaxf(all, 1), TD_U(view, 24)), area);
    if (all <= area)
        return false;
    *top = view->area.top + (area - high) * view->area.scroll / (all - area);
    *bottom = *top + high;
    return true;
}

void td_view_place_rows(struct td_view *view)
{
    td_layout_place(&view->layout, &view->metrics);
}

float td_view_node_y(const struct td_view *view, const struct td_node *node)
{
    return node->in_pins ? view->area.pins_top + node->y
                         : view->area.top + floorf(node->y - view->area.scroll);
}

bool td_view_zone_y(const struct td_view *view, struct td_zone_ref ref, float *y)
{
    int number = td_layout_track_node(&view->layout, ref.track);
    if (number < 0)
        return false;
    const struct td_node *node = &view->layout.nodes[number];
    if (node->height <= 0 || node->collapsed) {
        /* Hidden: the middle of the collapsed group instead. */
        int at = number;
        while (at >= 0 && view->layout.nodes[at].height <= 0)
            at = view->layout.nodes[at].parent;
        if (at < 0)
            return false;
        node = &view->layout.nodes[at];
        *y = td_view_node_y(view, node) + (node->height - view->metrics.row) / 2;
        return true;
    }
    *y = td_view_node_y(view, node) + td_layout_row_y(node, &view->metrics, ref.row) - node->y;
    return true;
}

int td_view_node_at(const struct td_view *view, float y)
{
    const struct td_layout *layout = &view->layout;
    for (int p = 0; y < view->area.top && p < layout->pin_count; p++) {
        float top = td_view_node_y(view, &layout->nodes[layout->pins[p]]);
        if (y >= top && y < top + layout->nodes[layout->pins[p]].height)
            return layout->pins[p];
    }
    int shown = y < view->area.top ? layout->shown_count
                                   : td_layout_at(layout, y - view->area.top + view->area.scroll);
    return shown < layout->shown_count ? layout->shown[shown] : -1;
}

bool td_view_is_over(const struct td_view *view, const struct td_node *node)
{
    return view->hover.node >= 0 && &view->layout.nodes[view->hover.node] == node &&
           td_ui_mouse_x(view->ui) >= view->area.left;
}

struct td_zone td_view_zone(const struct td_view *view, struct td_zone_ref ref)
{
    return td_trace_zone(view->model.trace, ref.track, ref.row, ref.index);
}

double td_view_zone_end(const struct td_view *view, const struct td_zone *zone)
{
    if (zone->end_ns != TD_OPEN)
        return (double)zone->end_ns;
    return fmax((double)view->model.last_ns, (double)zone->start_ns);
}

int64_t td_view_self_ns(struct td_view *view, struct td_zone_ref ref)
{
    if (td_ref_equal(view->drawn.self_of, ref))
        return view->drawn.self_ns;
    struct td_zone zone = td_view_zone(view, ref);
    double left = td_view_zone_end(view, &zone) - (double)zone.start_ns;
    for (size_t i = zone.child_begin; i < zone.child_end; i++) {
        struct td_zone child = td_trace_zone(view->model.trace, ref.track, ref.row + 1, i);
        left -= td_view_zone_end(view, &child) - (double)child.start_ns;
    }
    view->drawn.self_of = ref;
    view->drawn.self_ns = td_lod_time(fmax(left, 0));
    return view->drawn.self_ns;
}

struct td_zone_coloring td_view_coloring(const struct td_view *view)
{
    return (struct td_zone_coloring){.by = (uint8_t)td_view_choice(view, TD_CHOICE_ZONES),
                                     .ignore_own = td_view_choice(view, TD_CHOICE_OWN),
                                     .inherit = td_view_choice(view, TD_CHOICE_INHERIT)};
}

td_rgba td_view_zone_color(const struct td_view *view, struct td_zone_ref ref, const struct td_zone *zone)
{
    return td_zone_color(view->model.trace, td_view_coloring(view), ref.track, ref.row, zone);
}
