/* Lists the zones of each location, for tables. In the trace, zones are in tracks. */
#pragma once
#include "host/tools/csv/csv.h"

struct csv_item {
    int64_t start_ns, time_ns;
    uint32_t text, name, special; /* strings, 0: none */
    uint32_t track;
};

struct csv_gather {
    const struct csv *csv;
    const struct csv_locations *locations;
    const uint32_t *tracks; /* whose zones are listed, in this order */
    size_t track_count;
};

/* Calls `take` for each location, in order, with its zones longer than 0: by track, and within a track
 * parents before children. `take` may change the items, which are valid during the call; an error that it
 * returns stops the calls. The zones of several locations are in memory at a time, within limits. 0 or an
 * error. */
int csv_gather(const struct csv_gather *gather,
               int (*take)(void *self, uint32_t srcloc, struct csv_item *items, size_t count,
                           struct td_err *err),
               void *self, struct td_err *err);
