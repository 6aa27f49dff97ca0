/* Zones by name: counted, then gathered for as many names at once as there is room for. */
#pragma once
#include "host/query/rows/zone_ranges.h"

struct td_zones_by_name;
/* The ranges are those to read; they are not changed. NULL: *rc as of td_zone_scan_begin(). */
struct td_zones_by_name *td_zones_by_name_make(const struct td_zone_filter *filter,
                                               const struct td_zone_range *ranges, size_t count,
                                               struct td_job *job, int *rc);
void td_zones_by_name_free(struct td_zones_by_name *names); /* NULL is allowed */
/* The next zone; false: there are no more, or the job was cancelled. */
bool td_zones_by_name_next(struct td_zones_by_name *names, uint64_t *row);
/* The name of the zone that was passed on last. */
const char *td_zones_by_name_text(const struct td_zones_by_name *names, size_t *bytes);
