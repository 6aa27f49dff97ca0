/* Flows: zones whose text has lines "flow out NAME #id" and "flow in NAME #id" belong together, the first
 * giving what the second takes. An id may be used again, and by every tile: a taker belongs to the last giver
 * that began before the taker's end, on the taker's own tile if there is one. */
#ifndef TD_HOST_VIEWER_FLOW_H
#define TD_HOST_VIEWER_FLOW_H
#include "host/viewer/marks.h"

struct td_flow_end {
    uint64_t key;             /* of name and id */
    int64_t start_ns, end_ns; /* of the zone */
    struct td_zone_ref zone;
    uint64_t tile; /* where its track is: 0 the host, else chip and tile */
    bool is_out;
};

struct td_flows {             /* all zero: none */
    struct td_flow_end *ends; /* by key, givers before takers, by time */
    size_t count, capacity;
    uint64_t tile;   /* while building: of the track at hand */
    size_t *by_zone; /* numbers of ends in the order of their zones */
};

/* Walks over all zones with a text once. */
int td_flows_build(struct td_flows *flows, const struct td_trace *trace, struct td_err *err);
void td_flows_free(struct td_flows *flows);
/* Pairs giver -> taker in which the zone takes part; at most `room`. Returns how many. */
struct td_flow_pair {
    const struct td_flow_end *from, *to;
};
size_t td_flows_of(const struct td_flows *flows, struct td_zone_ref zone, struct td_flow_pair *pairs,
                   size_t room);
#endif
