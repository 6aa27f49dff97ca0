/* The tables of waits: `waits`, who waited for whom, and `flows`, those that arrived. A request may be with a struct
 * td_waits_wanted on the heap; else all flows of the trace are found first. */
#pragma once
#include "host/query/flows/waits.h"
#include "host/query/sums/sums.h"
#include "host/query/table/tables.h"

struct td_waits_wanted {
    struct td_flows flows; /* shared */
    /* waits: how long each track waited; rows are also what no flow explains of it. NULL: they are not. Owned. */
    int64_t *waited_ns;
    uint32_t tracks;
    /* flows: only those of a pair of tracks. */
    bool only_pair;
    uint32_t waiter, giver;
};
/* NULL: no memory. */
struct td_waits_wanted *td_waits_want(const struct td_flows *flows);
/* Rows of what no flow explains, too, from the sums of the same range. 0 or TD_E_NOMEM. */
int td_waits_want_rest(struct td_waits_wanted *wanted, const struct td_sums *sums);
void td_waits_wanted_free(void *wanted);
/* The waits of a request, and their flows, which the caller frees too. 0, TD_E_NOMEM or TD_E_STOPPED. */
int td_waits_find(const struct td_query_request *of, struct td_flows *flows, struct td_waits *waits);

/* Of rows of `waits`: the flows; a pair, those of tracks first. */
const struct td_waits *td_waits_of(const struct td_query_rows *rows);
struct td_wait_pair td_waits_pair(const struct td_query_rows *rows, uint64_t row);
