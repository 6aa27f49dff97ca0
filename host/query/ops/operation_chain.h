/* The critical chain of an operation: from what its last core received last, back to the sender, to what that had
 * received, and so on until before the operation began (host/query/flows/chain.h has the steps). */
#ifndef TD_HOST_QUERY_OPS_OPERATION_CHAIN_H
#define TD_HOST_QUERY_OPS_OPERATION_CHAIN_H
#include "host/query/flows/flow.h"
#include "host/query/task/job.h"

#define TD_OPERATION_LINKS 4096 /* at most */

struct td_operation_chain {     /* all zero: none */
    struct td_flow_pair *links; /* the last one first */
    size_t count;
    size_t tracks;                  /* that it leads over */
    const struct td_flow_end *ends; /* the flows that it was made from: valid while the view has these */
};

/* track: of the core that ended last, at end_ns. 0, TD_E_NOMEM, or TD_E_STOPPED; `job` may be NULL. */
int td_operation_chain_make(struct td_operation_chain *chain, const struct td_flows *flows, uint32_t track,
                            int64_t end_ns, int64_t from_ns, struct td_job *job);
void td_operation_chain_free(struct td_operation_chain *chain);
#endif
