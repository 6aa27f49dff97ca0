#include "host/agent/import/weights.h"
#include "host/base/grow.h"
#include "host/event/map.h"

#define LENGTH_MOST (INT64_C(1) << 46) /* ns; a trace has room for twice as many */
#define NO_NODE     UINT32_MAX

/* A node comes after the one around it. */
struct weight_node {
    uint32_t parent, srcloc;
    uint64_t own;
};

struct td_weights {
    struct td_map known; /* (parent, source location) to its node */
    struct weight_node *nodes;
    size_t count, room;
    uint64_t sum;
};

struct td_weights *td_weights_create(void)
{
    return calloc(1, sizeof(struct td_weights));
}

void td_weights_destroy(struct td_weights *weights)
{
    if (!weights)
        return;
    td_map_finish(&weights->known);
    free(weights->nodes);
    free(weights);
}

/* NO_NODE: no memory. */
static uint32_t node_of(struct td_weights *weights, uint32_t parent, uint32_t srcloc)
{
    const uint64_t key = (uint64_t)parent << 32 | srcloc;
    const uint32_t known = td_map_get(&weights->known, key, NO_NODE);
    if (known != NO_NODE)
        return known;
    if (weights->count == NO_NODE || td_map_add(&weights->known, key, (uint32_t)weights->count) < 0 ||
        TD_APPEND(weights->nodes, weights->count, weights->room,
                  (struct weight_node){.parent = parent, .srcloc = srcloc}) < 0)
        return NO_NODE;
    return (uint32_t)weights->count - 1;
}

int td_weights_add(struct td_weights *weights, const uint32_t *srclocs, size_t count, uint64_t weight)
{
    uint64_t sum;
    uint32_t node = NO_NODE;
    if (__builtin_add_overflow(weights->sum, weight, &sum))
        return TD_E_FORMAT;
    for (size_t i = 0; i < count; i++) {
        node = node_of(weights, node, srclocs[i]);
        if (node == NO_NODE)
            return TD_E_NOMEM;
    }
    weights->nodes[node].own += weight;
    weights->sum = sum;
    return 0;
}

uint64_t td_weights_sum(const struct td_weights *weights)
{
    return weights->sum;
}

uint64_t td_weights_divisor(const struct td_weights *weights, uint64_t least)
{
    while (weights->sum / least > LENGTH_MOST)
        least *= 10;
    return least;
}

int td_weights_make_zones(const struct td_weights *weights, uint64_t divisor, struct td_timeline *timeline,
                          struct td_timeline_place at)
{
    const int64_t begin_ns = at.time_ns;
    uint64_t *all = calloc(weights->count + 1, sizeof *all); /* of each path, and of those that continue it */
    uint64_t *begin = calloc(weights->count + 1, sizeof *begin); /* where its next part begins */
    int bad = all && begin ? 0 : TD_E_NOMEM;
    for (size_t i = weights->count; i-- > 0 && !bad;) {
        const struct weight_node *node = &weights->nodes[i];
        all[i] += node->own;
        if (node->parent != NO_NODE)
            all[node->parent] += all[i];
    }
    uint64_t outermost = 0;
    for (size_t i = 0; i < weights->count && !bad; i++) {
        const struct weight_node *node = &weights->nodes[i];
        uint64_t *around = node->parent == NO_NODE ? &outermost : &begin[node->parent];
        begin[i] = *around;
        *around += all[i];
        at.time_ns = begin_ns + (int64_t)(begin[i] / divisor);
        const int64_t end_ns = begin_ns + (int64_t)(*around / divisor);
        if (end_ns > at.time_ns)
            bad = td_timeline_zone(timeline, at, end_ns, node->srcloc, 0);
    }
    free(all);
    free(begin);
    return bad;
}
