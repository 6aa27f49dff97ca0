/* Flows: the parts of one follow each other in time, "NAME #ID", "NAME #ID.1" ..., so that a zone in the middle is
 * not taken for its own sender. */
#include "host/agent/import/json_text.h"
#include "host/agent/import/timeline_internal.h"
#include "host/base/grow.h"

#include <stdio.h>

static int add_id(struct td_text *text, const char *before, struct td_timeline_id id, const char *after)
{
    int bad = td_text_add(text, before, strlen(before));
    bad = bad ? bad : td_text_add(text, id.at, id.bytes);
    return bad ? bad : td_text_add(text, after, strlen(after));
}

/* The number of what `text` has; UINT32_MAX: no memory. The label is a line of a zone's text. */
static uint32_t key_of(struct td_timeline *timeline, const struct td_text *text)
{
    for (size_t i = 0; i < text->bytes; i++)
        text->at[i] = text->at[i] == '\n' ? ' ' : text->at[i];
    return td_dict_string(timeline->keys, text->at, text->bytes);
}

/* What the flow is shown as. */
static uint32_t label_of(struct td_timeline *timeline, const struct td_timeline_flow_id *flow,
                         struct td_text *text, uint32_t identity)
{
    uint32_t label = td_map_get(&timeline->by_flow, identity, UINT32_MAX);
    if (label != UINT32_MAX)
        return label;
    text->bytes = 0;
    if (add_id(text, "", flow->name, " #") != 0 || add_id(text, "", flow->id, "") != 0 ||
        (label = key_of(timeline, text)) == UINT32_MAX)
        return UINT32_MAX;
    const int added = td_map_add(&timeline->by_label, label, identity);
    if (!added && flow->more.bytes) /* another flow is shown so */
        label = add_id(text, " (", flow->more, ")") != 0 ? UINT32_MAX : key_of(timeline, text);
    return added < 0 || label == UINT32_MAX || td_map_add(&timeline->by_flow, identity, label) < 0
               ? UINT32_MAX
               : label;
}

static int add_flow(struct td_timeline *timeline, struct td_timeline_place at, enum td_timeline_flow_end kind,
                    const struct td_timeline_flow_id *flow, uint32_t zone)
{
    struct td_text text = {0};
    int bad = add_id(&text, "", flow->name, "\n");
    bad = bad ? bad : add_id(&text, "", flow->id, "\n");
    bad = bad ? bad : add_id(&text, "", flow->more, "");
    const uint32_t identity = bad ? UINT32_MAX : td_dict_string(timeline->keys, text.at, text.bytes);
    const uint32_t label = identity == UINT32_MAX ? UINT32_MAX : label_of(timeline, flow, &text, identity);
    td_text_free(&text);
    if (label == UINT32_MAX)
        return TD_E_NOMEM;
    bad = td_timeline_add(
        timeline, at, &(struct td_timeline_item){.kind = TD_ITEM_FLOW, .flow = (uint8_t)kind, .key = label});
    if (!bad)
        timeline->items[timeline->count - 1].zone = zone;
    return bad;
}

int td_timeline_flow(struct td_timeline *timeline, struct td_timeline_place at,
                     enum td_timeline_flow_end kind, const struct td_timeline_flow_id *flow)
{
    return add_flow(timeline, at, kind, flow, TD_NO_ITEM);
}

int td_timeline_own_flow(struct td_timeline *timeline, struct td_timeline_place at,
                         enum td_timeline_flow_end kind, const struct td_timeline_flow_id *flow)
{
    return add_flow(timeline, at, kind, flow, timeline->items[timeline->count - 1].order);
}

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

/* What an end of any kind is. */
static uint8_t end_of(uint8_t kind, bool is_first, bool is_last)
{
    if (kind < TD_TIMELINE_FLOW_ANY)
        return kind;
    return is_first                                   ? TD_TIMELINE_FLOW_OUT
           : is_last || kind == TD_TIMELINE_FLOW_LAST ? TD_TIMELINE_FLOW_IN
                                                      : TD_TIMELINE_FLOW_STEP;
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
    uint8_t before = 0;
    for (size_t i = 0; i < count; i++) {
        struct td_timeline_item *item = &timeline->items[flows[i]];
        const bool is_first = !i || item->key != timeline->items[flows[i - 1]].key,
                   is_last = i + 1 == count || item->key != timeline->items[flows[i + 1]].key;
        const uint8_t kind = item->flow;
        item->flow = end_of(kind, is_first || before == TD_TIMELINE_FLOW_LAST, is_last);
        before = kind;
        if (is_first || item->flow == TD_TIMELINE_FLOW_OUT)
            part = 0;
        item->text = part;
        part += item->flow == TD_TIMELINE_FLOW_STEP;
    }
    free(flows);
    return 0;
}

int td_timeline_link(struct td_timeline *timeline, struct td_timeline_item *zone, uint32_t text)
{
    if (TD_APPEND(timeline->links, timeline->link_count, timeline->link_room,
                  (struct td_more_text){text, zone->links}) < 0)
        return TD_E_NOMEM;
    zone->links = (uint32_t)timeline->link_count;
    return 0;
}
