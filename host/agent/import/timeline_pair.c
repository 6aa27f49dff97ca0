/* Begins and ends of zones. */
#include "host/agent/import/timeline_internal.h"

#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 256 /* open zones that are compared with the name of an end */

/* The open zone that the end belongs to, and in *inner the one inside it; TD_NO_ITEM: none. */
static uint32_t find_begin(struct td_timeline *timeline, uint32_t top, uint32_t name, uint32_t *inner)
{
    uint32_t at = top;
    *inner = TD_NO_ITEM;
    for (int tries = 0; name && at != TD_NO_ITEM && tries < NAMES_MAX; tries++) {
        if (timeline->items[at].begin_name == name)
            return at;
        *inner = at;
        at = timeline->items[at].parent;
    }
    timeline->counts.renamed += name && top != TD_NO_ITEM;
    *inner = TD_NO_ITEM;
    return top;
}

static int end_zone(struct td_timeline *timeline, struct td_timeline_item *end, uint32_t *top)
{
    uint32_t inner;
    const uint32_t found = find_begin(timeline, *top, end->name, &inner);
    end->kind = TD_ITEM_ENDED;
    end->parent = found;
    if (found == TD_NO_ITEM) {
        timeline->counts.lost[TD_LOSS_END]++;
        return 0;
    }
    struct td_timeline_item *begin = &timeline->items[found];
    begin->end_ns = end->time_ns;
    if (inner == TD_NO_ITEM)
        *top = begin->parent;
    else
        timeline->items[inner].parent = begin->parent;
    return end->text ? td_timeline_link(timeline, begin, end->text) : 0;
}

int td_timeline_pair(struct td_timeline *timeline, size_t first, size_t end)
{
    const bool async = timeline->owners[timeline->items[first].owner].async;
    const size_t chains = async ? timeline->operation_count + 1 : 1;
    uint32_t *tops = malloc(chains * sizeof *tops);
    int bad = tops ? 0 : TD_E_NOMEM;
    for (size_t i = 0; i < chains && !bad; i++)
        tops[i] = TD_NO_ITEM;
    for (size_t i = first; i < end && !bad; i++) {
        struct td_timeline_item *item = &timeline->items[i];
        uint32_t *top = &tops[item->chain];
        if (item->kind == TD_ITEM_BEGIN) {
            item->parent = *top;
            *top = (uint32_t)i;
        } else if (item->kind == TD_ITEM_END) {
            bad = end_zone(timeline, item, top);
        }
    }
    free(tops);
    return bad;
}
