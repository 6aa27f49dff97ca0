/* A zone of a trace, by its place in its row; and its name. */
#pragma once
#include "host/trace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_zone_ref {
    uint32_t track, row;
    size_t index;
};
static inline bool td_ref_equal(struct td_zone_ref a, struct td_zone_ref b)
{
    return a.track == b.track && a.row == b.row && a.index == b.index;
}
#define TD_NO_ZONE ((struct td_zone_ref){UINT32_MAX, 0, 0})
static inline bool td_ref_valid(struct td_zone_ref ref)
{
    return ref.track != UINT32_MAX;
}
/* The zone's own name, else its source location's. */
static inline const char *td_zone_label(const struct td_dict *dict, const struct td_zone *zone)
{
    return zone->name ? td_dict_text(dict, zone->name) : td_dict_zone_name(dict, zone->srcloc);
}
