#include "host/query/table/query_table.h"
#include "host/query/table/track_name.h"
#include "host/viewer/model/gpu_clocks.h"
#include "host/viewer/timeline/lod.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/view.h"

#include <math.h>

void td_view_show_spot(struct td_view *view, struct td_spot spot, bool fill)
{
    view->selection.spot = spot;
    view->selection.spot.used = true;
    double start = (double)spot.start_ns, end = (double)spot.end_ns, length = end - start;
    double span = view->camera.to_end_ns - view->camera.to_start_ns, margin = fmax(length, 1) * .08;
    bool inside = start >= view->camera.to_start_ns && end <= view->camera.to_end_ns;
    if (fill && length > 0)
        td_camera_set_range(&view->camera, start - margin, end + margin, false);
    else if (length > span * .8)
        td_camera_set_range(&view->camera, start - length * .3, end + length * .3, false);
    else if (!inside)
        td_camera_set_range(&view->camera, (start + end - span) / 2, (start + end + span) / 2, false);
    if (spot.track != TD_NO_TRACK)
        td_view_show_row(view, td_layout_track_node(&view->layout, spot.track), 0);
}

void td_view_show_place(struct td_view *view, const struct td_query_place *place, bool fill)
{
    const struct td_zone_ref zone = {place->track, place->row, place->index};
    const int64_t now_ns = (int64_t)view->camera.to_start_ns;
    switch (place->kind) {
    case TD_AT_ZONE:
        td_view_select(view, zone);
        td_view_show_zone(view, zone, fill);
        break;
    case TD_AT_RANGE:
        td_view_show_spot(view, (struct td_spot){true, place->track, place->start_ns, place->end_ns}, fill);
        break;
    case TD_AT_TRACK:
        td_view_show_spot(view, (struct td_spot){true, place->track, now_ns, now_ns}, false);
        view->selection.spot.used = false;
        break;
    case TD_AT_NOTHING:
        break;
    }
}

void td_view_show_message(struct td_view *view, size_t number)
{
    const struct td_message m = td_trace_message(view->model.trace, number);
    view->selection.message = number + 1;
    td_panel_set_open(view, TD_PANEL_MESSAGES, true);
    td_view_show_spot(view, (struct td_spot){true, m.track, m.time_ns, m.time_ns}, false);
}

void td_view_point_at(struct td_view *view, struct td_zone_ref zone)
{
    if (!td_ref_valid(zone))
        return;
    const struct td_zone z = td_view_zone(view, zone);
    view->selection.pointed = (struct td_spot){
        true, zone.track, td_lod_time(td_view_shown_ns(&view->model, zone.track, (double)z.start_ns)),
        td_lod_time(td_view_shown_ns(&view->model, zone.track, td_view_zone_end(view, &z)))};
}

void td_view_point_at_place(struct td_view *view, const struct td_query_place *place)
{
    if (place->kind == TD_AT_ZONE)
        td_view_point_at(view, (struct td_zone_ref){place->track, place->row, place->index});
    else if (place->kind == TD_AT_RANGE)
        view->selection.pointed = (struct td_spot){true, place->track, place->start_ns, place->end_ns};
}

static void draw_spot(struct td_view *view, const struct td_spot *s, td_rgba color)
{
    struct td_ui *ui = view->ui;
    if (!s->used || (double)s->end_ns < view->camera.start_ns || (double)s->start_ns > view->camera.end_ns)
        return;
    float x0 = floorf(td_view_x(view, (double)s->start_ns)), x1 = ceilf(td_view_x(view, (double)s->end_ns));
    float top = view->area.pins_top, bottom = view->area.bottom, thick = TD_U(view, 1.5f);
    int number = s->track == TD_NO_TRACK ? -1 : td_layout_track_node(&view->layout, s->track);
    td_ui_rect(ui, x0, top, x0 + 1, bottom, td_color_alpha(color, .35f), 0);
    if (x1 > x0 + 2)
        td_ui_rect(ui, x1 - 1, top, x1, bottom, td_color_alpha(color, .35f), 0);
    if (number < 0)
        return;
    struct td_zone_ref first = {s->track, 0, 0};
    float y;
    if (!td_view_zone_y(view, first, &y))
        return;
    const struct td_node *node = &view->layout.nodes[number];
    bool open = node->height > 0 && !node->collapsed;
    y = open ? td_view_node_y(view, node) : y;
    float high = open ? node->height : view->metrics.row, r = TD_U(view, 4);
    td_ui_rect(ui, x0, y, x0 + thick, y + high, color, 0);
    if (x1 > x0 + 2)
        td_ui_rect(ui, x0, y, x1, y + high, td_color_alpha(color, .12f), 0);
    float tip[6] = {x0 - r, y, x0 + r, y, x0, y + r * 1.5f};
    td_ui_triangle(ui, tip, color);
}

void td_draw_spots(struct td_view *view)
{
    draw_spot(view, &view->selection.spot, TD_C(SELECTED));
    draw_spot(view, &view->selection.pointed, TD_C(MESSAGE));
}
