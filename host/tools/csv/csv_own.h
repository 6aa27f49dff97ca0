#pragma once
#include "host/tools/csv/csv.h"
#include "host/trace/own_names.h"

struct csv_own {
    struct td_own_zone *zones; /* by location, name and start; the caller frees them */
    size_t count, capacity;
};

/* The zones longer than 0 that --filter finds by names that they got at run time, in locations that it does
 * not find; with --text, all those that it and --filter find. 0 or TD_E_NOMEM. */
int csv_find_own(const struct csv *c, struct csv_own *found);
/* The zone's own name; NULL: it has its location's. */
static inline const char *csv_own_name(const struct csv *c, const struct td_own_zone *zone)
{
    return zone->name ? td_dict_text(c->dict, zone->name) : NULL;
}
/* Sums up those of the name of zone `first`. Returns the index of the next name's first zone. */
size_t csv_own_stat(const struct csv_own *own, size_t first, struct td_stat *stat);
