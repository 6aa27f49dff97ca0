/* Zones that are found by what was given at run time. For --filter: stock csvexport knows the names of locations
 * only, and its table has a row for each location. Those that the filter finds by a name of their own come after
 * these rows. For --text: only zones that have the text are printed. */
#include "host/base/compare.h"
#include "host/base/grow.h"
#include "host/tools/csv/csv_own.h"

#include <stdlib.h>
#include <string.h>

struct own_search {
    const struct csv *csv;
    struct csv_own *found;
};

static int take_zone(void *self, const struct td_own_zone *zone)
{
    const struct own_search *s = self;
    struct csv_own *found = s->found;
    const struct csv *c = s->csv;
    const bool is_location_chosen = csv_is_chosen(c, td_dict_zone_name(c->dict, zone->srcloc));
    const bool is_name_chosen = zone->name && csv_is_chosen(c, td_dict_text(c->dict, zone->name));
    const bool is_chosen = c->text ? (is_location_chosen || is_name_chosen) && zone->text &&
                                         csv_is_text_chosen(c, td_dict_text(c->dict, zone->text))
                                   : is_name_chosen && !is_location_chosen;
    if (zone->length_ns <= 0 || !is_chosen)
        return 0;
    return TD_APPEND(found->zones, found->count, found->capacity, *zone);
}

TD_COMPARE(by_name, struct td_own_zone, TD_UP(srcloc) TD_UP(name) TD_UP(start_ns))

int csv_find_own(const struct csv *c, struct csv_own *found)
{
    struct own_search search = {c, found};
    *found = (struct csv_own){0};
    if (!*c->filter && !c->text)
        return 0;
    const int rc = td_trace_each_own_zone(c->trace, take_zone, &search);
    if (found->count)
        qsort(found->zones, found->count, sizeof *found->zones, by_name);
    return rc;
}

size_t csv_own_stat(const struct csv_own *own, size_t first, struct td_stat *stat)
{
    const struct td_own_zone *zone = &own->zones[first];
    size_t i = first;
    *stat = (struct td_stat){
        .srcloc = zone->srcloc, .min_ns = INT64_MAX, .self_min_ns = INT64_MAX, .self_max_ns = INT64_MIN};
    for (; i < own->count && own->zones[i].srcloc == zone->srcloc && own->zones[i].name == zone->name; i++) {
        const int64_t length = own->zones[i].length_ns, self = own->zones[i].self_ns;
        stat->count++;
        stat->timed++;
        stat->total_ns += length;
        stat->self_ns += self;
        stat->sum_squares += (double)length * (double)length;
        stat->min_ns = length < stat->min_ns ? length : stat->min_ns;
        stat->max_ns = length > stat->max_ns ? length : stat->max_ns;
        stat->self_min_ns = self < stat->self_min_ns ? self : stat->self_min_ns;
        stat->self_max_ns = self > stat->self_max_ns ? self : stat->self_max_ns;
    }
    return i;
}
