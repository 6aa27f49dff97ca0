/* Flows: the parts of one follow each other in time, "NAME #ID", "NAME #ID.1" ..., so that a zone in the middle is
 * not taken for its own sender. */
#include "host/agent/import/timeline_internal.h"
#include "host/base/grow.h"

#include <stdio.h>

static int compare_flows(const void *a, const void *b, void *self)
{
    const struct td_timeline *timeline = self;
    const struct td_timeline_item *x = &timeline->items[*(const uint32_t *)a],
                                  *y = &timeline->items[*(const uint32_t *)b];
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

int td_timeline_number_flows(struct td_timeline *timeline)
{
    size_t count = 0;
    for (size_t i = 0; i < timeline->count; i++)
        count += timeline->items[i].kind == TD_ITEM_FLOW;
    uint32_t *flows = count ? malloc(count * sizeof *flows) : NULL;
    if (count && !flows)
        return TD_E_NOMEM;
    count = 0;
    for (size_t i = 0; i < timeline->count; i++)
        if (timeline->items[i].kind == TD_ITEM_FLOW)
            flows[count++] = (uint32_t)i;
    if (count)
        qsort_r(flows, count, sizeof *flows, compare_flows, timeline);
    uint32_t part = 0;
    for (size_t i = 0; i < count; i++) {
        struct td_timeline_item *item = &timeline->items[flows[i]];
        if (!i || item->key != timeline->items[flows[i - 1]].key || item->flow == TD_TIMELINE_FLOW_OUT)
            part = 0;
        item->text = part;
        part += item->flow == TD_TIMELINE_FLOW_STEP;
    }
    free(flows);
    return 0;
}

int td_timeline_link(struct td_timeline *timeline, struct td_timeline_item *zone, uint32_t text)
{
    if (td_grow(&timeline->links, &timeline->link_room, timeline->link_count + 1, sizeof *timeline->links))
        return TD_E_NOMEM;
    timeline->links[timeline->link_count++] = (struct td_more_text){text, zone->links};
    zone->links = (uint32_t)timeline->link_count;
    return 0;
}
