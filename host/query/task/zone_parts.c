#include "host/query/task/zone_parts.h"
#include "host/base/sorted.h"
#include "host/base/grow.h"
#include "host/base/wrap.h"

/* The first zone of the row that begins at time_ns or later. */
static uint64_t first_from(const struct td_trace *trace, uint32_t track, uint32_t row, int64_t time_ns)
{
    uint64_t low = 0, high = td_trace_row_zones(trace, track, row);
    TD_BISECT(low, high, middle, td_trace_zone(trace, track, row, middle).start_ns < time_ns);
    return low;
}

static int add_row(struct td_zone_parts *parts, const struct td_trace *trace, uint32_t track, uint32_t row,
                   int64_t from_ns, int64_t to_ns)
{
    uint64_t end = td_trace_row_zones(trace, track, row), first = 0;
    if (from_ns != INT64_MIN)
        first = td_trace_zone_after(trace, track, row, from_ns);
    if (to_ns != INT64_MAX)
        end = first_from(trace, track, row, to_ns);
    for (; first < end; first += TD_PART_ZONES) {
        if (td_grow(&parts->part, &parts->capacity, parts->count + 1, sizeof *parts->part) < 0)
            return TD_E_NOMEM;
        uint64_t last = end - first > TD_PART_ZONES ? first + TD_PART_ZONES : end;
        parts->part[parts->count++] = (struct td_zone_part){track, row, first, last};
    }
    return 0;
}

int td_zone_parts_make(struct td_zone_parts *parts, const struct td_trace *trace, int64_t from_ns,
                       int64_t to_ns, const struct td_lane_choice *lanes)
{
    const uint32_t count = td_dict_track_count(td_trace_dict(trace));
    *parts = (struct td_zone_parts){0};
    for (uint32_t t = 0; t < count; t++)
        for (uint32_t r = 0, rows = td_lane_chosen(lanes, t) ? td_trace_rows(trace, t) : 0; r < rows; r++)
            if (add_row(parts, trace, t, r, from_ns, to_ns) < 0) {
                td_zone_parts_free(parts);
                return TD_E_NOMEM;
            }
    return 0;
}

void td_zone_parts_free(struct td_zone_parts *parts)
{
    free(parts->part);
    *parts = (struct td_zone_parts){0};
}

int64_t td_zones_length(const struct td_trace *trace, uint32_t track, uint32_t row, struct td_zones *block,
                        uint64_t *at, uint64_t end)
{
    int64_t total = 0;
    for (; *at < end; (*at)++) {
        if ((*at < block->first || *at >= block->first + block->count) &&
            !td_trace_zones_read(trace, track, row, *at, 1u << TD_ZONE_DURATION, block))
            return total;
        int64_t length = block->column[TD_ZONE_DURATION][*at - block->first];
        total = td_wrap_add(total, length < 0 ? 0 : length);
    }
    return total;
}
