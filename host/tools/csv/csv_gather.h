/* Zones by location: from tracks, where they stand by time, to lists for each location, as tables list them.
 */
#ifndef TD_HOST_TOOLS_CSV_CSV_GATHER_H
#define TD_HOST_TOOLS_CSV_CSV_GATHER_H
#include "host/tools/csv/csv.h"

struct csv_item {
    int64_t start_ns, time_ns;
    uint32_t text, name, special; /* strings, 0: none */
    uint32_t track;
};

struct csv_gather {
    const struct csv *csv;
    const struct csv_locations *locations;
    const uint32_t *tracks; /* those to take zones from, in the order of the lists */
    size_t track_count;
};

/* Calls `take` for each location, in order, with its zones longer than 0: by track, in each track depth
 * first. `take` may change the items. As many locations at once are kept in memory as are cheap. 0 or an
 * error. */
int csv_gather(const struct csv_gather *gather,
               int (*take)(void *self, uint32_t srcloc, struct csv_item *items, size_t count,
                           struct td_err *err),
               void *self, struct td_err *err);
#endif
