/* The table of source locations with the statistics of their zones in a range of time. A request may be with a struct
 * td_locations_wanted on the heap; else all zones count with their whole length. */
#pragma once
#include "host/query/sums/location_figures.h"
#include "host/query/sums/sums.h"
#include "host/query/table/tables.h"

struct td_locations_wanted {
    struct td_lane_choice lanes;
    enum td_timing timing;
    /* The sums of the range, if they are there; the table calls release(self) when it no longer reads them. */
    const struct td_sums *sums;
    void (*release)(void *self);
    void *self;
};

struct td_location {
    struct td_sum sum; /* of all tracks */
    struct td_figures figures;
    uint64_t tracks;
};
const struct td_location *td_location_at(const struct td_query_rows *rows, uint64_t row);
