/* Finds zones: those of some tracks, depths, locations or one name, in a range of time, in an order. What the model has
 * in order is found by binary search; each zone that is left costs a few ns. One thread. The zones must outlive
 * the scan; what the limits point to is copied.
 *
 *   struct td_zone_limits limits = td_zone_no_limits();
 *   limits.start_from = 1000;
 *   struct td_zone_scan *scan = td_zone_scan_begin(zones, &limits, TD_ZONES_BY_TIME, NULL, &rc);
 *   while (scan && td_zone_scan_next(scan, &row)) use(row);
 *   td_zone_scan_end(scan); */
#pragma once
#include "host/query/rows/zones.h"

#include <stddef.h>

enum td_zone_order {
    TD_ZONES_BY_ROW,  /* by number */
    TD_ZONES_BY_TIME, /* by start; those of equal starts by number */
    TD_ZONES_BY_NAME, /* by the bytes of their names; those of a name by number */
    TD_ZONES_LONGEST /* the `most` longest ones, the longest first, those that have not ended last; not backwards */
};

struct td_zone_limits { /* both ends are included */
    uint64_t row_from, row_to;
    int64_t start_from, start_to;
    int64_t end_from, end_to;  /* open zones may be left out if there are limits here or on lengths */
    int64_t least_ns, most_ns; /* length */
    int64_t depth_from, depth_to;
    const uint8_t *tracks;    /* by track: 1: its zones pass; NULL: all */
    const uint8_t *locations; /* the same by source location */
    const char *name;         /* NULL: any */
    size_t name_bytes;
    bool down;   /* backwards; not by name */
    size_t most; /* TD_ZONES_LONGEST: 16 bytes each */
};
struct td_zone_limits td_zone_no_limits(void);

struct td_zone_scan;
/* NULL: *rc is TD_E_NOMEM, TD_E_STOPPED, or TD_E_LIMIT: there are 2^32 zones or more, which can not be had by name.
 * `job` may be NULL. By name it takes at most 40 MB, and otherwise memory for each part of `zones`. */
struct td_zone_scan *td_zone_scan_begin(const struct td_query_rows *zones,
                                        const struct td_zone_limits *limits, enum td_zone_order order,
                                        struct td_job *job, int *rc);
/* False: there are no more, or the job was cancelled. */
bool td_zone_scan_next(struct td_zone_scan *scan, uint64_t *row);
/* By name: that of the zone that was found last; NULL: in another order. */
const char *td_zone_scan_name(const struct td_zone_scan *scan, size_t *bytes);
void td_zone_scan_end(struct td_zone_scan *scan); /* NULL is allowed */
