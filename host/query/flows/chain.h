/* The critical chain: from a zone back to the one that it waited for, from there to the one that that waited for,
 * and so on; and forward to those that waited for it. A step goes from a receiver of a flow to the sender that
 * sent last. A zone that receives nothing goes on from the last receiver before it on its track. */
#ifndef TD_HOST_QUERY_FLOWS_CHAIN_H
#define TD_HOST_QUERY_FLOWS_CHAIN_H
#include "host/query/flows/flow.h"

#define TD_CHAIN_LINKS 48 /* in each direction, at most */

/* The step from a zone, from what it did up to that time, or (forward) from then on; false: the chain ends there.
 * The next step begins at the time at which the flow left, or (forward) at which the receiver had it. */
bool td_chain_step(const struct td_flows *flows, struct td_zone_ref zone, int64_t time_ns, bool back,
                   struct td_flow_pair *link);

struct td_chain { /* all zero: none */
    struct td_zone_ref of;
    const struct td_flow_end *ends; /* the flows that it was made from */
    size_t count;
    struct td_flow_pair links[2 * TD_CHAIN_LINKS]; /* first those back in time */
};
void td_chain_make(struct td_chain *chain, const struct td_flows *flows, const struct td_trace *trace,
                   struct td_zone_ref zone);
#endif
