/* The critical chain: from a zone back to the one that it waited for, from there to the one that that waited for,
 * and so on; and forward to those that waited for it. A step goes from a receiver of a flow to the sender that
 * sent last. A zone that receives nothing goes on from the last receiver before it on its track. */
#pragma once
#include "host/query/flows/flow.h"
#include "host/query/task/job.h"

#define TD_CHAIN_LINKS 4096 /* in each direction, at most */

/* The step from a zone, from what it did up to that time, or (forward) from then on; false: the chain ends there.
 * The next step begins at the time at which the flow left, or (forward) at which the receiver had it. */
bool td_chain_step(const struct td_flows *flows, struct td_zone_ref zone, int64_t time_ns, bool back,
                   struct td_flow_pair *link);

struct td_chain { /* all zero: none */
    struct td_zone_ref of;
    const struct td_flow_end *ends; /* the flows that it was made from: valid while the view has these */
    size_t count, capacity;
    struct td_flow_pair *links; /* first those back in time, the last one first */
};
/* In both directions; replaces the chain. 0 or TD_E_NOMEM. */
int td_chain_make(struct td_chain *chain, const struct td_flows *flows, const struct td_trace *trace,
                  struct td_zone_ref zone);
/* Only back, from what the zone did up to that time, until a step leads to before from_ns; replaces the chain. For a
 * track, the zone is TD_CHAIN_OF_TRACK(track). 0, TD_E_NOMEM, or TD_E_STOPPED; `job` may be NULL. */
int td_chain_back(struct td_chain *chain, const struct td_flows *flows, struct td_zone_ref zone,
                  int64_t time_ns, int64_t from_ns, struct td_job *job);
#define TD_CHAIN_OF_TRACK(track) ((struct td_zone_ref){(track), UINT32_MAX, 0})
/* The number of tracks that it leads over; without memory, fewer. */
size_t td_chain_tracks(const struct td_chain *chain);
void td_chain_free(struct td_chain *chain);
