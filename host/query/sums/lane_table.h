/* The lanes (tracks) of a trace with what a range of time says of each. */
#pragma once
#include "host/query/sums/lane_filter.h"
#include "host/query/sums/sums.h"

struct td_lane {
    struct td_lane_facts facts;
    struct td_lane_sum sum;
    bool has_zones; /* in the whole trace: others have no row in tables */
};

struct td_lane_table {    /* all zero: empty */
    struct td_lane *lane; /* of each track */
    uint32_t tracks;
};

/* Fills the table. `sums` may be NULL or may know fewer tracks: their lanes have no numbers. The range of the
 * shares is that of the sums, cut at first_ns and last_ns, the ends of the trace. 0 or TD_E_NOMEM. */
int td_lane_table_make(struct td_lane_table *table, const struct td_trace *trace, const struct td_sums *sums,
                       int64_t first_ns, int64_t last_ns);
void td_lane_table_free(struct td_lane_table *table);
