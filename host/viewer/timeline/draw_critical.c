#include "host/query/flows/critical.h"
#include "host/query/sums/zone_at.h"
#include "host/viewer/timeline/critical.h"
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/view.h"

#include <math.h>

bool td_view_critical_of(const struct td_view *view, uint64_t *thread, int64_t *from_ns, int64_t *to_ns)
{
    const struct td_waited *wait = &view->selection.wait;
    const struct td_zone_ref ref = view->selection.zone;
    const uint32_t track = wait->used ? wait->track : ref.track;
    if ((!wait->used && !td_ref_valid(ref)) || !td_switches_of(&view->model.switches, track))
        return false;
    *thread = td_dict_get_track(view->model.dict, track)->thread;
    *from_ns = wait->from_ns;
    *to_ns = wait->to_ns;
    if (!wait->used) {
        const struct td_zone zone = td_view_zone(view, ref);
        *from_ns = zone.start_ns;
        *to_ns = (int64_t)td_view_zone_end(view, &zone);
    }
    return true;
}

void td_view_select_wait(struct td_view *view, uint32_t track, int64_t from_ns, int64_t to_ns)
{
    td_view_select(view, TD_NO_ZONE);
    view->selection.wait = (struct td_waited){true, track, from_ns, to_ns};
}

/* NULL: nothing to show. */
static const struct td_critical *update_path(struct td_view *view)
{
    struct td_critical *path = &view->selection.critical;
    uint64_t thread;
    int64_t from_ns, to_ns;
    if (!td_view_critical_of(view, &thread, &from_ns, &to_ns))
        return NULL;
    if (path->thread == thread && path->from_ns == from_ns && path->to_ns == to_ns)
        return path;
    /* Without memory there is none. */
    return td_critical_make(path, &view->model.switches, thread, from_ns, to_ns, view->model.last_ns, NULL) <
                   0
               ? NULL
               : path;
}

/* Where a part is drawn: at the row of its thread, or of the processor that ran it. NAN: it has no row. */
static float y_of_part(const struct td_view *view, const struct td_critical_part *part)
{
    const uint32_t track = td_switches_track(&view->model.switches, part->thread);
    const int number = track == UINT32_MAX ? -1 : td_layout_track_node(&view->layout, track);
    float y;
    if (track == UINT32_MAX)
        return td_cpu_row_y(view, part->cpu);
    const struct td_node *node = number >= 0 ? &view->layout.nodes[number] : NULL;
    if (node && node->height > 0 && !node->collapsed)
        return td_view_node_y(view, node) + (node->has_switches ? td_layout_switches_y(node, &view->metrics) -
                                                                      node->y + view->metrics.switches / 2
                                                                : TD_U(view, 4));
    return td_view_zone_y(view, (struct td_zone_ref){track, 0, 0}, &y) ? y + TD_U(view, 4) : NAN;
}

static void draw_wakeup(const struct td_view *view, float x, float from_y, float to_y, bool likely)
{
    const td_rgba color = td_color_alpha(TD_C(MATCH), likely ? .55f : 1);
    const float r = TD_U(view, 4), tip = to_y + (to_y > from_y ? -r * 1.5f : r * 1.5f);
    td_ui_line(view->ui, x, from_y, x, tip, color, TD_U(view, 1.4f));
    const float head[6] = {x - r, tip, x + r, tip, x, to_y};
    td_ui_triangle(view->ui, head, color);
}

void td_draw_critical(struct td_view *view)
{
    const struct td_critical *path = update_path(view);
    bool others = view->selection.wait.used;
    for (size_t i = 0; path && i < path->count && !others; i++)
        others = path->parts[i].thread != path->thread;
    for (size_t i = 0; others && path && i < path->count; i++) {
        static const float strength[] = {
            [TD_CRITICAL_RUNS] = 1, [TD_CRITICAL_READY] = .6f, [TD_CRITICAL_WAITS] = .3f};
        const struct td_critical_part *part = &path->parts[i];
        const float x0 = fmaxf(td_view_x(view, (double)part->start_ns), view->area.left),
                    x1 = fminf(td_view_x(view, (double)part->end_ns), view->area.right),
                    y = y_of_part(view, part);
        if (x1 < x0 || isnan(y))
            continue;
        td_ui_rect(view->ui, x0, y - TD_U(view, 1.5f), fmaxf(x1, x0 + 1), y + TD_U(view, 1.5f),
                   td_color_alpha(TD_C(MATCH), strength[part->state]), 0);
        const float next_y = part->wakes && i + 1 < path->count ? y_of_part(view, part + 1) : NAN;
        if (!isnan(next_y) && next_y != y && (double)part->end_ns <= view->camera.end_ns)
            draw_wakeup(view, x1, y, next_y, part->likely);
    }
}

bool td_view_follow_waker(struct td_view *view)
{
    const struct td_critical *path = update_path(view);
    size_t i = path ? path->count : 0;
    while (i > 0 && path->parts[i - 1].wakes != path->thread)
        i--;
    if (!i)
        return false;
    const struct td_critical_part part = path->parts[i - 1];
    const uint32_t track = td_switches_track(&view->model.switches, part.thread);
    const struct td_zone_ref zone =
        track == UINT32_MAX ? TD_NO_ZONE : td_zone_at(view->model.trace, track, part.end_ns);
    if (td_ref_valid(zone)) {
        td_view_select(view, zone);
        td_view_show_zone(view, zone, false);
        return true;
    }
    if (track != UINT32_MAX)
        td_view_select_wait(view, track, part.start_ns, part.end_ns);
    td_view_show_spot(view, (struct td_spot){true, track, part.start_ns, part.end_ns}, false);
    return true;
}
