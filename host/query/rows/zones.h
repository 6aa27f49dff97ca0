/* The table `zones`: each zone of every track. Its rows are numbered by track, depth and start; a row of another number
 * never becomes another zone in a finished trace. A request with `only` has the zones of one track. */
#pragma once
#include "host/query/table/tables.h"

/* The zones of a track at one depth. */
struct td_zones_part {
    uint64_t first; /* the number of its first row */
    uint64_t count;
    const struct td_series *series;
    uint32_t track, row;
};

/* The parts, which are not empty, in the order of their rows. */
const struct td_zones_part *td_zones_parts(const struct td_query_rows *zones, size_t *count);
/* The part with a row below rows->count. */
const struct td_zones_part *td_zones_part_of(const struct td_query_rows *zones, uint64_t row);
/* The children of a zone are rows from *first to before *end. */
void td_zones_children(const struct td_query_rows *zones, uint64_t row, uint64_t *first, uint64_t *end);
