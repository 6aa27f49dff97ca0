/* Operations: what one launch ran on all cores. The members of an operation are the outermost zones of cores that
 * have the flow of the same launch (TD_FLOW_LAUNCH of proto/track.h) in their texts. In a trace without such texts,
 * the n-th outermost zone of each core belongs to operation n. */
#pragma once
#include "host/query/flows/flow.h"
#include "host/report/ops/op_doubt.h"
#include "host/query/task/job.h"
#include "host/query/task/lane_choice.h"

#define TD_OPERATION_MEMBERS 8000000 /* at most, of all operations */

struct td_operation_member {
    struct td_zone_ref zone;
    int64_t start_ns, end_ns;
    bool doubted; /* its times cannot be right: those of the operation are without them */
};

struct td_operation {
    uint64_t id;               /* of the launch, or n */
    size_t first, count;       /* its members */
    int64_t start_ns, end_ns;  /* of the earliest and of the latest member */
    int64_t median_ns;         /* half of the members have ended by then */
    size_t last;               /* the member that ended last */
    struct td_zone_ref launch; /* the host's zone; TD_NO_ZONE: not known */
    enum td_op_doubt doubt;    /* of its members' times */
};

struct td_operations {              /* all zero: none */
    struct td_operation *operation; /* by start */
    size_t count;
    struct td_operation_member *member; /* of each operation in the order of tracks */
    size_t member_count;
    bool by_order;                 /* without texts of launches */
    bool cut;                      /* there are more members than the limit */
    size_t doubted, first_doubted; /* operations with doubt; the place of the first one */
    size_t all; /* operations, with those without members in the lanes that were asked for */
};

/* `flows` may be NULL: launches are not looked up. `lanes` may be NULL: of other lanes no zone is a member. Open zones last until now_ns. 0, TD_E_NOMEM or TD_E_STOPPED. */
int td_operations_make(struct td_operations *operations, const struct td_trace *trace,
                       const struct td_flows *flows, const struct td_lane_choice *lanes, int64_t now_ns,
                       struct td_job *job);
void td_operations_free(struct td_operations *operations);
