/* Changes which rows the timeline has, and in which order. */
#include "host/event/map.h"
#include "host/viewer/timeline/facts.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/view.h"

#include <stdlib.h>
#include <string.h>

/* ---- the filter ---- */

static void read_filter(struct td_lanes *l)
{
    struct td_lane_filter filter;
    memcpy(l->taken, l->text, sizeof l->taken);
    if (td_lane_filter_parse(&filter, l->text, &l->mistake))
        l->filter = filter;
}

static void filter_lanes(struct td_view *view)
{
    struct td_lanes *l = &view->lanes;
    uint8_t *passes = realloc(l->passes, (size_t)l->table.tracks + 1);
    l->lanes = l->passing = 0;
    l->passes_hash = l->filter.count ? 1 : 0;
    l->version++;
    if (!passes) { /* everything passes */
        free(l->passes);
        l->passes = NULL;
        l->passes_count = 0;
        return;
    }
    l->passes = passes;
    l->passes_count = l->table.tracks;
    for (uint32_t t = 0; t < l->table.tracks; t++) {
        const struct td_lane *lane = &l->table.lane[t];
        passes[t] = td_lane_filter_passes(&l->filter, &lane->facts);
        l->lanes += lane->has_zones;
        l->passing += lane->has_zones && passes[t];
        if (l->filter.count)
            l->passes_hash = td_mix64(l->passes_hash ^ passes[t]) | 1;
    }
    td_lanes_apply(view);
    td_view_place_rows(view);
}

/* Without sums that are new, or new rows, the table is as it was. New sums come with a table. */
static bool make_table(struct td_view *view)
{
    struct td_lanes *l = &view->lanes;
    if (td_view_holds_sums(view))
        return false;
    bool wants = l->filter.needs_sums || l->grouping == TD_GROUPING_KERNEL;
    const struct td_sums *sums = wants                   ? td_view_sums(view)
                                 : view->sums.shown.lane ? &view->sums.shown
                                                         : NULL;
    uint64_t key = td_mix64(td_mix64(view->sums.version + 1) ^ view->rows.key);
    if (key == l->table_key && l->table.lane)
        return false;
    if (view->sums.table.lane && view->sums.table.tracks == td_dict_track_count(view->model.dict))
        TD_JOB_TAKE(&l->table, &view->sums.table, td_lane_table_free);
    else if (td_lane_table_make(&l->table, view->model.trace, sums, view->model.first_ns,
                                view->model.last_ns) < 0)
        return false;
    l->table_key = key;
    return true;
}

/* A hash of the kernels, by which rows may be grouped. */
static uint64_t kernels_of(const struct td_lanes *l)
{
    uint64_t hash = 0;
    for (uint32_t t = 0; l->grouping == TD_GROUPING_KERNEL && t < l->table.tracks; t++)
        hash = td_mix64(hash ^ (uint64_t)(uintptr_t)l->table.lane[t].facts.kernel);
    return hash;
}

void td_lanes_update(struct td_view *view)
{
    struct td_lanes *l = &view->lanes;
    const uint64_t kernels = kernels_of(l);
    l->lit = TD_NO_LANE;
    bool changed = strcmp(l->text, l->taken) != 0;
    if (changed)
        read_filter(l);
    if (!make_table(view) && !changed)
        return;
    if (kernels != kernels_of(l))
        td_view_arrange_rows(view, NULL);
    filter_lanes(view);
}

/* ---- rows ---- */

static void place_rows(struct td_view *view)
{
    td_lanes_apply(view);
    td_view_place_rows(view);
    view->hover.zone = TD_NO_ZONE;
    view->hover.node = -1;
}

void td_lanes_pin(struct td_view *view, int number)
{
    for (int i = 0; number < 0 && i < view->layout.count; i++)
        view->layout.nodes[i].pinned = false;
    if (number >= 0) {
        struct td_node *node = &view->layout.nodes[number];
        bool inside = node->in_pins && !node->pinned;
        while (inside && node->parent >= 0 && !node->pinned) /* in a pinned group: that is unpinned */
            node = &view->layout.nodes[node->parent];
        node->pinned = !node->pinned;
    }
    place_rows(view);
}

void td_lanes_hide(struct td_view *view, int number)
{
    if (number >= 0)
        td_layout_hide(&view->layout, number, true);
    for (int i = 0; number < 0 && i < view->layout.count; i++)
        view->layout.nodes[i].hidden = false;
    place_rows(view);
}

void td_lanes_show(struct td_view *view, int number)
{
    td_layout_hide(&view->layout, number, false);
    place_rows(view);
}

void td_lanes_show_all(struct td_view *view)
{
    td_lanes_set_filter(view, "");
    td_lanes_hide(view, -1);
}

/* ---- order ---- */

static void arrange(struct td_view *view)
{
    if (td_view_arrange_rows(view, NULL) == 0)
        view->area.to_scroll = view->area.scroll = 0;
}

void td_lanes_group(struct td_view *view, enum td_grouping grouping)
{
    view->lanes.grouping = grouping;
    if (make_table(view))
        filter_lanes(view);
    arrange(view);
}

void td_lanes_order(struct td_view *view, const uint32_t *tracks, size_t count)
{
    struct td_lanes *l = &view->lanes;
    if (make_table(view))
        filter_lanes(view);
    free(l->rank);
    l->rank = count ? malloc(((size_t)l->table.tracks + 1) * sizeof *l->rank) : NULL;
    l->ranked = l->rank ? l->table.tracks : 0;
    for (uint32_t t = 0; t < l->ranked; t++)
        l->rank[t] = UINT32_MAX;
    for (size_t i = 0; l->rank && i < count; i++)
        if (tracks[i] < l->ranked)
            l->rank[tracks[i]] = (uint32_t)i;
    arrange(view);
}

/* Appends the tracks of these nodes. */
static size_t put_tracks(const struct td_layout *layout, int from, int end, uint32_t *tracks, size_t count)
{
    for (int i = from; i < end; i++)
        if (layout->nodes[i].kind == TD_NODE_TRACK)
            tracks[count++] = layout->nodes[i].number;
    return count;
}

int td_lanes_move(struct td_view *view, int node, int to)
{
    const struct td_layout *layout = &view->layout;
    const int end = layout->nodes[node].end, to_end = layout->nodes[to].end;
    const float scroll = view->area.to_scroll;
    uint32_t *tracks = malloc(((size_t)layout->count + 1) * sizeof *tracks);
    if (!tracks)
        return TD_E_NOMEM;
    size_t count = put_tracks(layout, 0, to < node ? to : node, tracks, 0);
    if (to > node)
        count = put_tracks(layout, end, to_end, tracks, count);
    count = put_tracks(layout, node, end, tracks, count);
    if (to < node)
        count = put_tracks(layout, to, node, tracks, count);
    count = put_tracks(layout, to < node ? end : to_end, layout->count, tracks, count);
    td_lanes_order(view, tracks, count);
    free(tracks);
    view->area.to_scroll = view->area.scroll = scroll;
    return 0;
}

void td_lanes_go(struct td_view *view, uint32_t track)
{
    view->lanes.selected = track;
    td_view_show_row(view, td_layout_track_node(&view->layout, track), 0);
}
