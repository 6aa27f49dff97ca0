/* Stacks that have weights and no times, such as lines of a flame graph, as zones: each path from the outermost function
 * on is a zone, as wide as the weights of the path and of all that continue it. Zones of one path are one zone, wherever
 * its weights came. Next to each other are zones in the order in which they came first; a zone's own weight follows the
 * zones in it.
 *
 *   create; add stacks; choose a divisor; make zones; destroy
 *
 * Not thread-safe. */
#pragma once
#include "host/agent/import/timeline.h"

struct td_weights;
struct td_weights *td_weights_create(void);          /* NULL: no memory */
void td_weights_destroy(struct td_weights *weights); /* NULL is allowed */
/* The stack's functions are source locations, the outermost first; `count` is not 0. 0, TD_E_NOMEM, or TD_E_FORMAT: the
 * sum of all weights would not fit into 64 bits, and nothing is added. */
int td_weights_add(struct td_weights *weights, const uint32_t *srclocs, size_t count, uint64_t weight);
uint64_t td_weights_sum(const struct td_weights *weights);
/* How much weight is a ns, so that a trace has room for all: `least` (not 0), or that times a power of ten. */
uint64_t td_weights_divisor(const struct td_weights *weights, uint64_t least);
/* Adds zones from at.time_ns on. A path of less than 1 ns has none. 0 or TD_E_NOMEM. */
int td_weights_make_zones(const struct td_weights *weights, uint64_t divisor, struct td_timeline *timeline,
                          struct td_timeline_place at);
