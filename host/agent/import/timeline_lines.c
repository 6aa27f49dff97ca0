/* Puts zones on lines, on each of which they are nested, without changing a time. A zone goes into the zone that
 * began last of those that have it in them; if there is none, on the first line that is free. Zones of asynchronous
 * operations are only nested in zones of the same operation. */
#include "host/agent/import/timeline_internal.h"
#include "host/base/grow.h"
#include "proto/track.h"

#include <stdio.h>

struct layer {
    struct td_timeline *timeline;
    uint32_t tops[TD_TIMELINE_LINES]; /* the innermost zone of each line; TD_NO_ITEM: none */
    uint32_t lines, placed;
    uint32_t *run; /* zones that begin at one time */
    size_t run_count, run_room;
    uint32_t *waiting; /* flows that wait for the next zone */
    size_t waiting_count, waiting_room;
};

static bool is_inside(const struct layer *layer, uint32_t outer, const struct td_timeline_item *zone)
{
    const struct td_timeline_item *items = layer->timeline->items;
    for (uint32_t at = zone->parent; at != TD_NO_ITEM && items[at].end_ns == zone->time_ns;
         at = items[at].parent)
        if (at == outer)
            return true;
    return false;
}

/* A zone that ends when the next one begins has ended, unless it is known to be around that one. */
static bool has_ended(const struct layer *layer, uint32_t number, const struct td_timeline_item *next)
{
    const struct td_timeline_item *zone = &layer->timeline->items[number];
    if (zone->end_ns != next->time_ns)
        return zone->end_ns < next->time_ns;
    return next->end_ns != next->time_ns || !is_inside(layer, number, next);
}

/* The line for the zone; TD_TIMELINE_LINES: there is none. */
static uint32_t find_line(struct layer *layer, const struct td_timeline_item *zone)
{
    const struct td_timeline_item *items = layer->timeline->items;
    uint32_t around = TD_TIMELINE_LINES, free_line = layer->lines;
    for (uint32_t i = 0; i < layer->lines; i++) {
        uint32_t *top = &layer->tops[i];
        while (*top != TD_NO_ITEM && has_ended(layer, *top, zone))
            *top = items[*top].below;
        if (*top == TD_NO_ITEM)
            free_line = i < free_line ? i : free_line;
        else if (items[*top].end_ns >= zone->end_ns && items[*top].chain == zone->chain &&
                 (around == TD_TIMELINE_LINES || items[*top].place > items[layer->tops[around]].place))
            around = i;
    }
    return around < TD_TIMELINE_LINES ? around : free_line;
}

static void put_zone(struct layer *layer, uint32_t number)
{
    struct td_timeline_item *zone = &layer->timeline->items[number];
    const uint32_t line = find_line(layer, zone);
    if (line == TD_TIMELINE_LINES) {
        layer->timeline->counts.lost[TD_LOSS_LINE]++;
        zone->kind = TD_ITEM_NONE;
        return;
    }
    if (line == layer->lines)
        layer->tops[layer->lines++] = TD_NO_ITEM;
    zone->line = (uint16_t)line;
    zone->below = layer->tops[line];
    zone->place = layer->placed++;
    layer->tops[line] = number;
}

/* ---- flows and messages */

/* The innermost zone around a time; TD_NO_ITEM: none. */
static uint32_t find_around(struct layer *layer, const struct td_timeline_item *item)
{
    const struct td_timeline_item *items = layer->timeline->items;
    uint32_t found = TD_NO_ITEM;
    for (uint32_t i = 0; i < layer->lines; i++) {
        uint32_t *top = &layer->tops[i];
        while (*top != TD_NO_ITEM && items[*top].end_ns < item->time_ns)
            *top = items[*top].below;
        if (*top != TD_NO_ITEM && items[*top].chain == item->chain &&
            (found == TD_NO_ITEM || items[*top].place > items[found].place))
            found = *top;
    }
    return found;
}

static int add_flow_text(struct td_timeline *timeline, struct td_timeline_item *zone,
                         const struct td_timeline_item *flow, const char *direction, uint32_t part)
{
    char suffix[16] = "", *text = NULL;
    if (part)
        snprintf(suffix, sizeof suffix, ".%u", part);
    if (asprintf(&text, "flow %s %s%s", direction, td_dict_text(timeline->keys, flow->key), suffix) < 0)
        return TD_E_NOMEM;
    const uint32_t string = td_dict_cstring(timeline->dict, text);
    free(text);
    timeline->counts.flows++;
    return string == UINT32_MAX ? TD_E_NOMEM : td_timeline_link(timeline, zone, string);
}

static int bind_flow(struct td_timeline *timeline, const struct td_timeline_item *flow, uint32_t number)
{
    if (number == TD_NO_ITEM) {
        timeline->counts.lost[TD_LOSS_FLOW]++;
        return 0;
    }
    struct td_timeline_item *zone = &timeline->items[number];
    const bool step = flow->flow == TD_TIMELINE_FLOW_STEP;
    int bad = 0;
    if (flow->flow != TD_TIMELINE_FLOW_OUT)
        bad = add_flow_text(timeline, zone, flow, "in", flow->text);
    if (!bad && (flow->flow == TD_TIMELINE_FLOW_OUT || step))
        bad = add_flow_text(timeline, zone, flow, "out", flow->text + step);
    return bad;
}

static int bind_waiting(struct layer *layer, uint32_t zone)
{
    int bad = 0;
    for (size_t i = 0; i < layer->waiting_count && !bad; i++) {
        const struct td_timeline_item *flow = &layer->timeline->items[layer->waiting[i]];
        bad = bind_flow(layer->timeline, flow, zone == TD_NO_ITEM ? flow->below : zone);
    }
    layer->waiting_count = 0;
    return bad;
}

/* The zone that names the flow, whose begin or end was added just before it and its other flows; TD_NO_ITEM: it was left
 * out. */
static uint32_t find_owner(const struct td_timeline *timeline, uint32_t number)
{
    const struct td_timeline_item *items = timeline->items;
    uint32_t at = number;
    while (at && items[at - 1].order == items[at].zone && items[at - 1].kind == TD_ITEM_FLOW)
        at--;
    if (!at || items[at - 1].order != items[at].zone)
        return TD_NO_ITEM;
    const uint32_t zone = items[at - 1].kind == TD_ITEM_ENDED ? items[at - 1].parent : at - 1;
    return zone != TD_NO_ITEM && items[zone].kind <= TD_ITEM_BEGIN ? zone : TD_NO_ITEM;
}

static int take_flow(struct layer *layer, uint32_t number, uint32_t first_of_run)
{
    struct td_timeline_item *flow = &layer->timeline->items[number];
    if (flow->zone != TD_NO_ITEM)
        return bind_flow(layer->timeline, flow, find_owner(layer->timeline, number));
    if (flow->flow != TD_TIMELINE_FLOW_NEXT)
        return bind_flow(layer->timeline, flow, find_around(layer, flow));
    if (first_of_run != TD_NO_ITEM)
        return bind_flow(layer->timeline, flow, first_of_run);
    flow->below = find_around(layer, flow); /* if no zone comes */
    return TD_APPEND(layer->waiting, layer->waiting_count, layer->waiting_room, number);
}

/* ---- zones that begin at one time */

static int compare_complete(const void *a, const void *b, void *self)
{
    const struct td_timeline_item *items = self;
    const struct td_timeline_item *x = &items[*(const uint32_t *)a], *y = &items[*(const uint32_t *)b];
    if (x->end_ns != y->end_ns)
        return x->end_ns > y->end_ns ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* Puts the zones of the run: those that have begins in the order of these, and complete ones from the longest to the
 * shortest; one of the latter comes first if it is longer than all of the former that follow. */
static void put_run(struct layer *layer, size_t begins)
{
    struct td_timeline_item *items = layer->timeline->items;
    uint32_t *run = layer->run, longest = TD_NO_ITEM;
    if (layer->run_count > begins + 1)
        qsort_r(run + begins, layer->run_count - begins, sizeof *run, compare_complete, items);
    for (size_t i = begins; i-- > 0; items[run[i]].place = longest)
        if (longest == TD_NO_ITEM || items[run[i]].end_ns >= items[longest].end_ns)
            longest = run[i];
    size_t complete = begins;
    for (size_t i = 0; i <= begins; i++) {
        while (complete < layer->run_count &&
               (i == begins || compare_complete(&run[complete], &items[run[i]].place, items) < 0))
            put_zone(layer, run[complete++]);
        if (i < begins)
            put_zone(layer, run[i]);
    }
}

static int add_to_run(struct layer *layer, size_t first, size_t end, uint8_t kind)
{
    const struct td_timeline_item *items = layer->timeline->items;
    for (size_t i = first; i < end; i++) {
        if (items[i].kind != kind)
            continue;
        if (TD_APPEND(layer->run, layer->run_count, layer->run_room, (uint32_t)i) < 0)
            return TD_E_NOMEM;
    }
    return 0;
}

/* The zone that was put first of the items of one time; TD_NO_ITEM: none. */
static uint32_t first_placed(const struct layer *layer, size_t first, size_t end)
{
    const struct td_timeline_item *items = layer->timeline->items;
    uint32_t found = TD_NO_ITEM;
    for (size_t i = first; i < end; i++)
        if (items[i].kind <= TD_ITEM_BEGIN && (found == TD_NO_ITEM || items[i].place < items[found].place))
            found = (uint32_t)i;
    return found;
}

static int lay_run(struct layer *layer, size_t first, size_t end)
{
    struct td_timeline *timeline = layer->timeline;
    layer->run_count = 0;
    int bad = add_to_run(layer, first, end, TD_ITEM_BEGIN);
    const size_t begins = layer->run_count;
    bad = bad ? bad : add_to_run(layer, first, end, TD_ITEM_COMPLETE);
    if (bad)
        return bad;
    put_run(layer, begins);
    const uint32_t placed = first_placed(layer, first, end);
    if (placed != TD_NO_ITEM)
        bad = bind_waiting(layer, placed);
    for (size_t i = first; i < end && !bad; i++) {
        if (timeline->items[i].kind == TD_ITEM_FLOW)
            bad = take_flow(layer, (uint32_t)i, placed);
        if (timeline->items[i].kind == TD_ITEM_MESSAGE && timeline->items[i].chain) {
            const uint32_t around = find_around(layer, &timeline->items[i]);
            timeline->items[i].line = around == TD_NO_ITEM ? 0 : timeline->items[around].line;
        }
    }
    return bad;
}

int td_timeline_lay(struct td_timeline *timeline, size_t first, size_t end)
{
    struct layer layer = {.timeline = timeline};
    int bad = 0;
    for (size_t i = first, next; i < end && !bad; i = next) {
        next = i + 1;
        while (next < end && timeline->items[next].time_ns == timeline->items[i].time_ns)
            next++;
        bad = lay_run(&layer, i, next);
    }
    bad = bad ? bad : bind_waiting(&layer, TD_NO_ITEM);
    timeline->owners[timeline->items[first].owner].lines = layer.lines;
    free(layer.run);
    free(layer.waiting);
    return bad;
}
