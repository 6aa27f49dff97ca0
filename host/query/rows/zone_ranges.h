/* What the limits of a scan leave of each part of the table `zones`, and which zones of it pass. */
#pragma once
#include "host/query/rows/zone_scan.h"
#include "host/trace/series.h"

#define TD_RANGE_BLOCK TD_SERIES_ROWS

struct td_zone_range {
    const struct td_zones_part *part;
    uint64_t next, end; /* zones of the part */
    int64_t start_ns;   /* of `next`, by time */
    /* Which zones of a block pass; the block that begins with `block`, UINT64_MAX: none was read. */
    uint64_t block, passes[TD_RANGE_BLOCK / 64];
};

struct td_zone_filter {
    const struct td_query_rows *zones;
    struct td_zone_limits limits; /* without what it points to */
    uint8_t *locations; /* by source location: 1: a zone without a name of its own passes; NULL: all do */
    uint8_t *any_name;  /* the same of a zone with the name that is wanted */
    char *name;         /* NULL: any */
    uint32_t location_count;
    bool has_names, has_lengths;
};

int td_zone_filter_init(struct td_zone_filter *filter, const struct td_query_rows *zones,
                        const struct td_zone_limits *limits); /* 0 or TD_E_NOMEM */
void td_zone_filter_free(struct td_zone_filter *filter);
/* Whether zones have to be looked at one by one. */
static inline bool td_zone_filter_reads(const struct td_zone_filter *filter)
{
    return filter->locations || filter->has_lengths;
}
/* The part's zones within the limits of number, track, depth, start and end; false: none. `tracks` as in the limits. */
bool td_zone_range_of(const struct td_zone_filter *filter, const uint8_t *tracks,
                      const struct td_zones_part *part, struct td_zone_range *range);
/* Which zones of the block with the zone `at` pass. */
void td_zone_range_read(const struct td_zone_filter *filter, struct td_zone_range *range, uint64_t at);
