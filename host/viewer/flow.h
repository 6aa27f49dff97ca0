/* Flows: arrows from a sender, a zone whose text has a line "flow out NAME #id", to its receivers, zones
 * whose text has a line "flow in NAME #id". Ids may be reused, also by several tiles: a receiver belongs
 * to the last sender that began before the receiver's end, preferably on the receiver's own tile. */
#ifndef TD_HOST_VIEWER_FLOW_H
#define TD_HOST_VIEWER_FLOW_H
#include "host/viewer/marks.h"

struct td_flow_end {
    uint64_t key;             /* hash of name and id */
    int64_t start_ns, end_ns; /* of the zone */
    struct td_zone_ref zone;
    uint64_t tile; /* of the zone's track: 0: the host, else chip and tile */
    bool is_out;
};

struct td_flows {             /* all zero: none */
    struct td_flow_end *ends; /* sorted by key, senders before receivers, by time */
    size_t count, capacity;
    uint64_t tile;   /* while building: of the current track */
    size_t *by_zone; /* indexes into `ends`, sorted by zone */
};

/* Reads every zone once. */
int td_flows_build(struct td_flows *flows, const struct td_trace *trace, struct td_err *err);
void td_flows_free(struct td_flows *flows);
/* A sender and one of its receivers. td_flows_of() writes the pairs that the zone is part of, at most
 * `room`, and returns their number. */
struct td_flow_pair {
    const struct td_flow_end *from, *to;
};
size_t td_flows_of(const struct td_flows *flows, struct td_zone_ref zone, struct td_flow_pair *pairs,
                   size_t room);
#endif
