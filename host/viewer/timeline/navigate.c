/* Searching, collapsing, and moving the view to a zone: used by keys, buttons and options. */
#include "host/query/table/text_filter.h"
#include "host/viewer/model/gpu_clocks.h"
#include "host/viewer/timeline/lod.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>

void td_view_collapse(struct td_view *view, bool collapsed)
{
    view->rows.arranged = true;
    td_layout_collapse(&view->layout, collapsed);
    td_view_place_rows(view);
}

void td_view_follow_newest(struct td_view *view)
{
    td_camera_follow(&view->camera, true);
}

void td_view_follow_frames(struct td_view *view)
{
    view->selection.newest_frames = !view->selection.newest_frames;
    td_camera_follow(&view->camera, true);
}

void td_view_select(struct td_view *view, struct td_zone_ref zone)
{
    bool had = td_ref_valid(view->selection.zone), has = td_ref_valid(zone);
    view->selection.zone = zone;
    view->selection.wait.used = false;
    if (has && !had)
        view->selection.details_opened = !td_panel_is_open(view, TD_PANEL_DETAILS);
    if (has && !td_panel_is_open(view, TD_PANEL_DETAILS)) {
        enum td_panel_id focus = view->panels.focus;
        td_panel_set_open(view, TD_PANEL_DETAILS, true);
        view->panels.focus = focus;
    } else if (!has && had && view->selection.details_opened && td_panel_is_open(view, TD_PANEL_DETAILS)) {
        td_panel_set_open(view, TD_PANEL_DETAILS, false);
    }
}

void td_view_search(struct td_view *view, const char *text)
{
    if (text) {
        if (text != view->find.text)
            snprintf(view->find.text, sizeof view->find.text, "%s", text);
        view->find.only = NULL;
    }
    /* An error is ignored: without memory there are no matches. */
    if (view->drawn.has_threads)
        td_find_start(&view->find, view->model.trace, NULL);
    else
        td_find_run(&view->find, view->model.trace, NULL);
}

void td_view_search_name(struct td_view *view, const char *name)
{
    char text[sizeof view->find.text];
    td_text_of_name(name, text, sizeof text);
    td_view_search(view, text);
}

void td_view_show_row(struct td_view *view, int number, uint32_t row)
{
    if (number < 0)
        return;
    struct td_node *node = &view->layout.nodes[number];
    bool hidden = node->hidden || node->filtered || node->empty;
    view->lanes.hidden_rows -= node->hidden;
    node->hidden = node->filtered = node->empty = false; /* the filter hides it again when it changes */
    if (td_layout_reveal(&view->layout, number) || hidden)
        td_view_place_rows(view);
    if (node->in_pins)
        return;
    td_panels_place(view); /* the zone's details may have opened */
    float y = td_layout_row_y(node, &view->metrics, row),
          area = view->panels.slot[TD_PANEL_TIMELINE].place.bottom - view->area.top;
    if (y < view->area.to_scroll || y + view->metrics.row > view->area.to_scroll + area)
        view->area.to_scroll = fmaxf(fminf(y - area / 3, view->layout.height - area), 0);
}

void td_view_show_zone(struct td_view *view, struct td_zone_ref ref, bool fill)
{
    struct td_zone zone = td_view_zone(view, ref);
    double start = td_view_shown_ns(&view->model, ref.track, (double)zone.start_ns),
           end = td_view_shown_ns(&view->model, ref.track, td_view_zone_end(view, &zone)),
           length = end - start;
    double span = view->camera.to_end_ns - view->camera.to_start_ns;
    bool inside = start >= view->camera.to_start_ns && end <= view->camera.to_end_ns;
    double margin = fmax(length, 1) * (fill ? .08 : length > span * .8 ? .3 : 2);
    if (fill || length > span * .8 || length < span * .002)
        td_camera_set_range(&view->camera, start - margin, end + margin, false);
    else if (!inside)
        td_camera_set_range(&view->camera, (start + end - span) / 2, (start + end + span) / 2, false);
    td_view_show_row(view, td_layout_track_node(&view->layout, ref.track), ref.row);
}

void td_view_follow_zone(struct td_view *view, struct td_zone_ref ref)
{
    struct td_zone zone = td_view_zone(view, ref);
    double start = td_view_shown_ns(&view->model, ref.track, (double)zone.start_ns),
           end = td_view_shown_ns(&view->model, ref.track, td_view_zone_end(view, &zone));
    double span = view->camera.to_end_ns - view->camera.to_start_ns;
    /* Of a zone that is longer than the range, a part is enough. */
    bool is_long = end - start > span;
    double middle = is_long ? start + span * .4 : (start + end) / 2;
    if (is_long ? start > view->camera.to_end_ns || end < view->camera.to_start_ns
                : start < view->camera.to_start_ns || end > view->camera.to_end_ns)
        td_camera_set_range(&view->camera, middle - span / 2, middle + span / 2, false);
    td_view_show_row(view, td_layout_track_node(&view->layout, ref.track), ref.row);
}

void td_view_zoom_to_choice(struct td_view *view)
{
    if (view->selection.measured)
        td_camera_set_range(&view->camera,
                            fmin(view->selection.measure_from_ns, view->selection.measure_to_ns),
                            fmax(view->selection.measure_from_ns, view->selection.measure_to_ns), false);
    else if (td_ref_valid(view->selection.zone))
        td_view_show_zone(view, view->selection.zone, true);
    view->selection.measured = false;
}

void td_view_show_note(struct td_view *view, size_t index)
{
    const struct td_annotation *note = &view->notes.list[index];
    double from = (double)note->from_ns, to = (double)note->to_ns, margin = fmax(to - from, 1) * .15;
    view->selection.note = (int)index + 1;
    td_camera_set_range(&view->camera, from - margin, to + margin, false);
}

void td_view_next_match(struct td_view *view, bool forward)
{
    if (!td_matches_count(view->find.matches))
        return;
    struct td_zone_ref from = view->selection.zone, next;
    int64_t time = td_lod_time(view->camera.to_start_ns - 1);
    if (td_ref_valid(from))
        time = td_view_zone(view, from).start_ns;
    next = td_matches_next(view->find.matches, view->model.trace, time, from, forward);
    if (!td_ref_valid(next)) /* continue from the other end */
        next = td_matches_next(view->find.matches, view->model.trace, forward ? INT64_MIN : INT64_MAX,
                               TD_NO_ZONE, forward);
    if (!td_ref_valid(next))
        return;
    td_view_select(view, next);
    td_view_show_zone(view, next, false);
}
