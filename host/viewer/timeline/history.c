#include "host/viewer/timeline/history.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <string.h>

static bool is_same_range(const struct td_history_place *a, const struct td_history_place *b)
{
    double slack = (a->end_ns - a->start_ns) * 1e-3;
    return fabs(a->start_ns - b->start_ns) <= slack && fabs(a->end_ns - b->end_ns) <= slack;
}

static void add_place(struct td_history *h, const struct td_history_place *place)
{
    h->count = h->count ? h->at + 1 : 0; /* what was ahead is forgotten */
    if (h->count == TD_HISTORY_PLACES) {
        memmove(h->place, h->place + 1, (TD_HISTORY_PLACES - 1) * sizeof *h->place);
        h->count--;
    }
    h->at = h->count;
    h->place[h->count++] = *place;
}

void td_history_note(struct td_view *view)
{
    struct td_history *h = &view->history;
    const struct td_camera *camera = &view->camera;
    const struct td_history_place now = {view->selection.zone, camera->to_start_ns, camera->to_end_ns};
    const bool rests = view->drag.kind == TD_DRAG_NONE && camera->start_ns == camera->to_start_ns &&
                       camera->end_ns == camera->to_end_ns;
    struct td_history_place *present = &h->place[h->at];
    if (!h->count) {
        add_place(h, &now);
    } else if (!td_ref_equal(now.selected, present->selected)) {
        add_place(h, &now);
        h->moves = true; /* the range that follows the selection belongs to it */
    } else if (!is_same_range(&now, present) && !camera->follow) {
        if (h->moves) {
            *present = now;
        } else {
            add_place(h, &now);
            h->moves = true;
        }
    }
    if (rests)
        h->moves = false;
}

static bool still_exists(const struct td_view *view, struct td_zone_ref zone)
{
    return !td_ref_valid(zone) || (zone.row < td_trace_rows(view->model.trace, zone.track) &&
                                   zone.index < td_trace_row_zones(view->model.trace, zone.track, zone.row));
}

bool td_history_go(struct td_view *view, bool forward)
{
    struct td_history *h = &view->history;
    td_history_note(view);
    const int to = h->at + (forward ? 1 : -1);
    if (to < 0 || to >= h->count)
        return false;
    h->at = to;
    struct td_history_place *place = &h->place[to];
    if (!still_exists(view, place->selected))
        place->selected = TD_NO_ZONE;
    td_view_select(view, place->selected);
    td_camera_set_range(&view->camera, place->start_ns, place->end_ns, false);
    if (td_ref_valid(place->selected))
        td_view_follow_zone(view, place->selected);
    /* The camera keeps to its limits, and the zone in sight. */
    place->start_ns = view->camera.to_start_ns;
    place->end_ns = view->camera.to_end_ns;
    return true;
}
