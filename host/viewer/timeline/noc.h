/* The transfers over the NoC that the view shows: read, and counted for the chosen range (limits.c), in the background.
 * The panel Chips and the timeline draw them. */
#pragma once
#include "host/query/ops/noc_traffic.h"

struct td_view;

struct td_view_noc { /* all zero: nothing was read yet */
    struct td_job reading, counting;
    struct td_noc_index made_index, index;
    struct td_noc_traffic made_traffic, traffic;
    const struct td_trace *trace; /* the request of the jobs */
    int64_t from_ns, to_ns;
    uint64_t version; /* changes with `traffic` */
    bool has_index, has_traffic;
};

/* The newest transfers; NULL: not read yet, or there are none. Starts to read them if they are not there. */
const struct td_noc_index *td_view_transfers(struct td_view *view);
/* What the transfers of the chosen range sum up to; NULL: not counted yet, or there are none. May still be that of an
 * earlier range. */
const struct td_noc_traffic *td_view_traffic(struct td_view *view);
/* Whether transfers are being read or counted. */
bool td_view_noc_is_busy(const struct td_view *view);
void td_view_noc_free(struct td_view_noc *noc);
/* Bytes a second: of a sum over the range that the traffic counts. */
double td_view_noc_rate(const struct td_view *view, uint64_t bytes);
