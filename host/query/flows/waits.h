/* Who waited for whom: the receivers of flows with their senders, and sums for each pair of tracks. */
#pragma once
#include "host/query/flows/flow.h"
#include "host/base/progress.h"

struct td_wait { /* a flow that arrived; valid as long as the flows */
    const struct td_flow_end *from, *to;
    int64_t sent_ns;
    /* The length of the receiver if it is a zone that waits; else of such zones directly before it and at its
     * start. Only those count that began before the flow was sent, and that
     * received no flow themselves. */
    int64_t waited_ns;
};

struct td_wait_pair {
    uint32_t waiter, giver; /* tracks */
    uint64_t count;         /* flows */
    int64_t waited_ns, longest_ns;
};

struct td_waits { /* all zero: none */
    struct td_wait *list;
    size_t count, capacity;
    struct td_wait_pair *pairs; /* by waiter, then giver */
    size_t pair_count;
    uint64_t lone,
        lone_launches; /* receivers without a sender in the trace: of other flows, and of launches */
};

/* The flows whose receiver begins within the range. 0, TD_E_NOMEM or TD_E_STOPPED; `progress` may be NULL. */
int td_waits_make(struct td_waits *waits, const struct td_trace *trace, const struct td_flows *flows,
                  int64_t from_ns, int64_t to_ns, int64_t now_ns, const struct td_progress *progress);
void td_waits_free(struct td_waits *waits);
