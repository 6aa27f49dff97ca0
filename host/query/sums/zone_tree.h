/* Zones as a call tree (code/call_tree.h): a node for the zones of a name in those of another name, and so on outwards.
 * `self` is the time of these zones without that of the zones in them, `total` with it, in ns; `zones` counts them.
 *
 * The time of a zone that reaches beyond the range is cut at its limits. Of a zone that has not ended only the zones in
 * it have times. So the sum of `self` over the nodes of a name is that of self_ns in the table `zones`. */
#pragma once
#include "host/query/code/call_tree.h"
#include "host/query/task/lane_choice.h"

#define TD_ZONE_TREE_NODES (1u << 20)

struct td_zone_tree_choice { /* all zero but to_ns: all zones before that time, of all tracks together */
    int64_t from_ns, to_ns;  /* INT64_MIN, INT64_MAX: at any time */
    const struct td_lane_choice *lanes; /* NULL: all */
    bool by_track;                      /* the first nodes are the tracks */
    uint32_t most_nodes; /* about; then zones count as a part of those around them. 0: no limit */
};

/* Reads every zone of the range once, on all processors. *cut is set to the number of zones that have no node of their
 * own; it may be NULL. 0, TD_E_NOMEM or TD_E_STOPPED. td_call_tree_free() frees the tree also after a failure. */
int td_zone_tree_make(const struct td_trace *trace, const struct td_zone_tree_choice *choice,
                      const struct td_progress *progress, struct td_call_tree *tree, uint64_t *cut);
