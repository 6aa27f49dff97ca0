/* Hides tracks that have nothing in the visible range, if the user wants that. */
#include "host/event/map.h"
#include "host/viewer/timeline/lod.h"
#include "host/viewer/timeline/view.h"

static bool has_messages(const struct td_view *view, uint32_t track, int64_t from_ns, int64_t to_ns)
{
    const size_t first = td_messages_after(&view->model.messages, view->model.trace, track, (double)from_ns);
    return first < td_messages_count(&view->model.messages, view->model.trace, track) &&
           td_messages_get(&view->model.messages, view->model.trace, track, first).time_ns <= to_ns;
}

static bool is_empty(const struct td_view *view, const struct td_node *node, int64_t from_ns, int64_t to_ns)
{
    const bool has_ghosts =
        node + 1 < view->layout.nodes + view->layout.count && node[1].kind == TD_NODE_GHOSTS;
    if (node->kind != TD_NODE_TRACK || has_ghosts)
        return false;
    const uint64_t zones = td_trace_row_zones(view->model.trace, node->number, 0);
    const size_t at = zones ? td_trace_zone_after(view->model.trace, node->number, 0, from_ns) : 0;
    if (at < zones && td_trace_zone(view->model.trace, node->number, 0, at).start_ns <= to_ns)
        return false;
    return !node->has_messages || !has_messages(view, node->number, from_ns, to_ns);
}

void td_view_hide_empty(struct td_view *view)
{
    const bool hides = td_view_choice(view, TD_CHOICE_EMPTY) != 0;
    /* The range to which the view moves: rows change once. */
    const int64_t from = td_lod_time(view->camera.to_start_ns), to = td_lod_time(view->camera.to_end_ns);
    const uint64_t key = td_mix64(td_mix64((uint64_t)from + hides) ^ (uint64_t)to) +
                         td_mix64(view->model.zones) + view->rows.arrangement;
    bool changed = false;
    if (view->model.rests_ms || (!hides && !view->rows.hides_empty) || key == view->rows.empty_key)
        return;
    view->rows.empty_key = key;
    view->rows.hides_empty = hides;
    for (int i = 0; i < view->layout.count; i++) {
        struct td_node *node = &view->layout.nodes[i];
        const bool empty = hides && is_empty(view, node, from, to);
        changed |= empty != node->empty;
        node->empty = empty;
    }
    if (changed)
        td_view_place_rows(view);
}
