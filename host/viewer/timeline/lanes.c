#include "host/viewer/timeline/lanes.h"
#include "host/event/map.h"
#include "host/viewer/timeline/view.h"
#include "host/base/plain_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool td_lanes_passes(const struct td_view *view, uint32_t track)
{
    const struct td_lanes *l = &view->lanes;
    return !l->passes || track >= l->passes_count || l->passes[track];
}

uint64_t td_lanes_key(const struct td_view *view)
{
    return view->lanes.passes ? view->lanes.passes_hash : 0;
}

bool td_lanes_copy(const struct td_view *view, struct td_lane_choice *to)
{
    td_lane_choice_free(to);
    if (!td_lanes_key(view))
        return true;
    to->passes = malloc((size_t)view->lanes.passes_count + 1);
    if (!to->passes)
        return false;
    to->tracks = view->lanes.passes_count;
    memcpy(to->passes, view->lanes.passes, to->tracks);
    return true;
}

const char *td_lanes_note(const struct td_view *view, char *text, size_t bytes)
{
    *text = 0;
    if (td_lanes_key(view))
        snprintf(text, bytes, ", %u of %u lanes", view->lanes.passing, view->lanes.lanes);
    return text;
}

const struct td_lane *td_lanes_get(const struct td_view *view, uint32_t track)
{
    const struct td_lane_table *table = &view->lanes.table;
    return track < table->tracks && table->lane[track].has_zones ? &table->lane[track] : NULL;
}

const char *td_lanes_name(const struct td_view *view, uint32_t track, char text[TD_LANE_NAME_BYTES])
{
    const struct td_track *t = td_dict_get_track(view->model.dict, track);
    const char *name = td_dict_text(view->model.dict, t->name);
    if (*name)
        snprintf(text, TD_LANE_NAME_BYTES, "%s", TD_PLAIN(name));
    else
        snprintf(text, TD_LANE_NAME_BYTES, "thread %" PRIu64, t->thread);
    return text;
}

void td_lanes_set_filter(struct td_view *view, const char *text)
{
    snprintf(view->lanes.text, sizeof view->lanes.text, "%s", text);
}

void td_lanes_free(struct td_lanes *l)
{
    td_lane_table_free(&l->table);
    free(l->passes);
    free(l->group);
    free(l->rank);
}

/* Pictures of groups are made of the lanes that are visible. */
static void forget_groups(struct td_view *view)
{
    for (int i = 0; view->rows.lists && i <= view->layout.count; i++) {
        td_track_list_release(view->rows.lists[i]);
        view->rows.lists[i] = NULL;
    }
    if (!(++view->rows.arrangement & 0xff)) /* the numbers by which they are known begin again */
        td_bands_forget(view->drawn.bands);
}

void td_lanes_apply(struct td_view *view)
{
    struct td_lanes *l = &view->lanes;
    td_layout_filter(&view->layout, l->filter.count ? l->passes : NULL, l->passes_count);
    l->hidden_rows = 0;
    uint64_t hash = 0;
    for (int i = 0; i < view->layout.count; i++) {
        const struct td_node *node = &view->layout.nodes[i];
        l->hidden_rows += node->hidden;
        if (node->hidden || (node->filtered && !node->pinned))
            hash = td_mix64(hash ^ (uint64_t)i);
    }
    if (hash != l->rows_hash)
        forget_groups(view);
    l->rows_hash = hash;
}

float td_lanes_pins_bottom(const struct td_view *view)
{
    float most = (view->area.bottom - view->area.pins_top) * .5f;
    return view->area.pins_top + floorf(fminf(view->layout.pins_height, most));
}

struct td_arrangement td_lanes_arrangement(struct td_view *view)
{
    struct td_lanes *l = &view->lanes;
    const uint32_t tracks = l->table.tracks;
    const char **group = realloc(l->group, ((size_t)tracks + 1) * sizeof *group);
    if (!group)
        return (struct td_arrangement){0};
    l->group = group;
    for (uint32_t t = 0; t < tracks; t++)
        group[t] =
            l->grouping == TD_GROUPING_KERNEL ? l->table.lane[t].facts.kernel : l->table.lane[t].facts.kind;
    /* Tracks that are new since the order was applied come last. */
    uint32_t *rank = l->rank ? realloc(l->rank, ((size_t)tracks + 1) * sizeof *rank) : NULL;
    if (rank) {
        l->rank = rank;
        for (; l->ranked < tracks; l->ranked++)
            rank[l->ranked] = UINT32_MAX;
    }
    return (struct td_arrangement){.grouping = l->grouping, .group = group, .rank = rank, .tracks = tracks};
}
