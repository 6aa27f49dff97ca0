#include "host/query/rows/zone_ranges.h"
#include "host/trace/fill.h"
#include "host/trace/tables.h"

#include <stdlib.h>

#define BLOCK TD_RANGE_BLOCK

struct td_zone_limits td_zone_no_limits(void)
{
    return (struct td_zone_limits){.row_to = UINT64_MAX,
                                   .start_from = INT64_MIN,
                                   .start_to = INT64_MAX,
                                   .end_from = INT64_MIN,
                                   .end_to = INT64_MAX,
                                   .least_ns = INT64_MIN,
                                   .most_ns = INT64_MAX,
                                   .depth_from = INT64_MIN,
                                   .depth_to = INT64_MAX};
}

static bool is_name(const struct td_zone_filter *filter, const char *text, size_t bytes)
{
    return bytes == filter->limits.name_bytes && !memcmp(text, filter->name, bytes);
}

/* Which locations pass, by themselves and by their names. 0 or TD_E_NOMEM. */
static int choose_locations(struct td_zone_filter *filter, const uint8_t *wanted)
{
    filter->locations = calloc((size_t)filter->location_count + 1, 1);
    filter->any_name = malloc((size_t)filter->location_count + 1);
    if (!filter->locations || !filter->any_name)
        return TD_E_NOMEM;
    for (uint32_t s = 0; s < filter->location_count; s++) {
        const char *name = td_dict_zone_name(filter->zones->dict, s);
        filter->any_name[s] = !wanted || wanted[s];
        filter->locations[s] = filter->any_name[s] && (!filter->name || is_name(filter, name, strlen(name)));
    }
    return 0;
}

int td_zone_filter_init(struct td_zone_filter *filter, const struct td_query_rows *zones,
                        const struct td_zone_limits *limits)
{
    *filter =
        (struct td_zone_filter){.zones = zones,
                                .limits = *limits,
                                .location_count = td_dict_srcloc_count(zones->dict),
                                .has_names = limits->name != NULL,
                                .has_lengths = limits->least_ns != INT64_MIN || limits->most_ns != INT64_MAX};
    filter->limits.name = NULL;
    filter->limits.tracks = filter->limits.locations = NULL;
    if (!limits->name && !limits->locations)
        return 0;
    if (limits->name) {
        filter->name = malloc(limits->name_bytes + 1);
        if (!filter->name)
            return TD_E_NOMEM;
        memcpy(filter->name, limits->name, limits->name_bytes);
    }
    return choose_locations(filter, limits->locations);
}

void td_zone_filter_free(struct td_zone_filter *filter)
{
    free(filter->locations);
    free(filter->any_name);
    free(filter->name);
    *filter = (struct td_zone_filter){0};
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

bool td_zone_range_of(const struct td_zone_filter *filter, const uint8_t *tracks,
                      const struct td_zones_part *part, struct td_zone_range *range)
{
    const struct td_zone_limits *l = &filter->limits;
    const struct td_trace *trace = filter->zones->of.trace;
    uint64_t first = 0, end = part->count;
    if ((tracks && !tracks[part->track]) || part->row < l->depth_from || part->row > l->depth_to ||
        l->row_to < part->first)
        return false;
    if (l->row_from > part->first)
        first = l->row_from - part->first;
    end = least(end, l->row_to - part->first == UINT64_MAX ? end : l->row_to - part->first + 1);
    if (l->start_from != INT64_MIN) {
        const uint64_t after = td_series_after(part->series, TD_ZONE_START, l->start_from - 1);
        first = after > first ? after : first;
    }
    if (l->start_to != INT64_MAX)
        end = least(end, td_series_after(part->series, TD_ZONE_START, l->start_to));
    if (l->end_from != INT64_MIN) {
        const uint64_t after = td_trace_zone_after(trace, part->track, part->row, l->end_from - 1);
        first = after > first ? after : first;
    }
    if (l->end_to != INT64_MAX)
        end = least(end, td_trace_zone_after(trace, part->track, part->row, l->end_to));
    *range = (struct td_zone_range){.part = part, .next = first, .end = end, .block = UINT64_MAX};
    return first < end;
}

/* Whether a zone with properties of its own passes. */
static bool passes_by_extra(const struct td_zone_filter *filter, uint64_t location, int64_t extra)
{
    struct td_zone zone = {0};
    td_trace_zone_extra(filter->zones->of.trace, extra, &zone);
    if (!zone.name)
        return filter->locations[location];
    return filter->any_name[location] && is_name(filter, td_dict_text(filter->zones->dict, zone.name),
                                                 td_dict_text_bytes(filter->zones->dict, zone.name));
}

static void clear(struct td_zone_range *range, uint64_t k)
{
    range->passes[k / 64] &= ~(UINT64_C(1) << k % 64);
}

static void filter_lengths(const struct td_zone_filter *filter, struct td_zone_range *range, uint64_t n)
{
    const struct td_zone_limits *l = &filter->limits;
    int64_t length[BLOCK];
    td_series_read(range->part->series, TD_ZONE_DURATION, range->block, n, length);
    for (uint64_t k = 0; k < n; k++)
        if (length[k] < 0 || length[k] < l->least_ns || length[k] > l->most_ns)
            clear(range, k);
}

static void filter_locations(const struct td_zone_filter *filter, struct td_zone_range *range, uint64_t n)
{
    int64_t location[BLOCK], extra[BLOCK];
    td_series_read(range->part->series, TD_ZONE_SRCLOC, range->block, n, location);
    if (filter->has_names)
        td_series_read(range->part->series, TD_ZONE_EXTRA, range->block, n, extra);
    for (uint64_t k = 0; k < n; k++) {
        const uint64_t s = (uint64_t)location[k] < filter->location_count ? (uint64_t)location[k] : 0;
        const bool by_extra = filter->has_names && extra[k] > 0;
        if (!(by_extra ? passes_by_extra(filter, s, extra[k]) : filter->locations[s]))
            clear(range, k);
    }
}

void td_zone_range_read(const struct td_zone_filter *filter, struct td_zone_range *range, uint64_t at)
{
    const uint64_t block = at - at % BLOCK;
    if (range->block == block)
        return;
    range->block = block;
    memset(range->passes, 0xff, sizeof range->passes);
    const uint64_t n = least(range->part->count - block, BLOCK);
    if (filter->has_lengths)
        filter_lengths(filter, range, n);
    if (filter->locations)
        filter_locations(filter, range, n);
}
