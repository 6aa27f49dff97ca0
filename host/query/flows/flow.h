/* Flows: arrows from a sender, a zone whose text has a line "flow out NAME #id", to its receivers, zones
 * whose text has a line "flow in NAME #id". Ids may be reused, also by several tiles: a receiver belongs
 * to the last sender that began before the receiver's end, preferably on the receiver's own tile.
 *
 * A sender whose clock is another one may seem to begin later than that, by at most the bound on the clocks'
 * error. It is taken if there is no other sender, or if the receiver cannot have waited for that one, because
 * it had sent before the receiver began.
 *
 * Cores of a simulated board run in turns: in virtual time a receiver may end up to a turn before its sender
 * begins. That sender is taken if there is no other one. */
#pragma once
#include "host/query/sums/zone_ref.h"

/* Small, because a live session may have millions. */
struct td_flow_end {
    uint64_t key;     /* hash of name and id; bit 0: 0: a sender, 1: a receiver; bit 1: of a launch */
    int64_t start_ns; /* of the zone */
    struct td_zone_ref zone;
};
static inline bool td_flow_is_out(const struct td_flow_end *end)
{
    return !(end->key & 1);
}
static inline bool td_flow_is_launch(const struct td_flow_end *end)
{
    return (end->key & 2) != 0;
}

struct td_flows {             /* all zero: none */
    struct td_flow_end *ends; /* sorted by key, senders before receivers, by time */
    size_t count, capacity;
    uint32_t *by_zone;      /* indexes into `ends`, sorted by zone */
    int64_t clock_error_ns; /* the greatest bound of the trace, for ends of two clocks */
    const struct td_trace *trace;
    unsigned *owners; /* atomic; NULL: there are no ends */
};

/* Reads every zone once. */
int td_flows_build(struct td_flows *flows, const struct td_trace *trace, struct td_err *err);
/* The same ends for another owner, which frees them too: the last one does. */
struct td_flows td_flows_share(const struct td_flows *flows);
void td_flows_free(struct td_flows *flows);
/* A sender and one of its receivers. */
struct td_flow_pair {
    const struct td_flow_end *from, *to;
};
/* Writes the pairs that the zone is part of, at most `room`. Returns their number. */
size_t td_flows_of(const struct td_flows *flows, struct td_zone_ref zone, struct td_flow_pair *pairs,
                   size_t room);
/* Whether the zone receives a flow. */
bool td_flows_receives(const struct td_flows *flows, struct td_zone_ref zone);
/* The pair of the receiver ends[index]; false: it is no receiver, or has no sender. */
bool td_flows_pair(const struct td_flows *flows, size_t index, struct td_flow_pair *pair);
/* The places in `by_zone` of the ends of a track: *first to *end - 1. */
void td_flows_of_track(const struct td_flows *flows, uint32_t track, size_t *first, size_t *end);
/* Copies what the text of the end's zone calls the flow, such as "tile #7". Returns `room`. */
const char *td_flow_name(const struct td_trace *trace, const struct td_flow_end *end, char *room,
                         size_t bytes);
/* When the flow of the pair left, at the latest: at the sender's end. A receiver has it at its own end, and
 * a kernel has its launch when it begins: so a sender that ends later, or is open, had sent it by then. */
int64_t td_flow_sent_ns(const struct td_flows *flows, const struct td_flow_pair *pair);
/* From when on the receiver had it: not before its begin. */
static inline int64_t td_flow_received_ns(const struct td_flows *flows, const struct td_flow_pair *pair)
{
    const int64_t sent_ns = td_flow_sent_ns(flows, pair);
    return sent_ns > pair->to->start_ns ? sent_ns : pair->to->start_ns;
}
/* The end of the end's zone, as it is now: it may have been open when the flows were built. TD_OPEN: it is. */
int64_t td_flow_zone_end_ns(const struct td_flows *flows, const struct td_flow_end *end);
