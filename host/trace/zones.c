/* Reading zones. */
#include "host/base/sorted.h"
#include "host/trace/model.h"

/* Empty rows do not count. */
uint32_t td_trace_rows(const struct td_trace *trace, uint32_t number)
{
    const struct track *track = td_trace_find_track_(trace, number);
    const struct rows *rows = track ? __atomic_load_n(&track->rows, __ATOMIC_ACQUIRE) : NULL;
    uint32_t count = rows ? __atomic_load_n(&rows->count, __ATOMIC_ACQUIRE) : 0;
    while (count && !td_series_count(rows->at[count - 1]))
        count--;
    return count;
}

size_t td_trace_row_zones(const struct td_trace *trace, uint32_t track, uint32_t row)
{
    const struct td_series *series = td_trace_row(trace, track, row);
    return series ? td_series_count(series) : 0;
}

uint64_t td_trace_track_zones(const struct td_trace *trace, uint32_t number)
{
    const struct track *track = td_trace_find_track_(trace, number);
    uint64_t zones = 0;
    if (!track)
        return 0;
    if (__atomic_load_n(&trace->finished, __ATOMIC_ACQUIRE) == FINISHED)
        return track->zones;
    for (uint32_t r = 0, rows = td_trace_rows(trace, number); r < rows; r++)
        zones += td_trace_row_zones(trace, number, r);
    return zones;
}

uint64_t td_trace_track_parents(const struct td_trace *trace, uint32_t number)
{
    const struct track *track = td_trace_find_track_(trace, number);
    return track ? __atomic_load_n(&track->parents, __ATOMIC_RELAXED) : 0;
}

/* The children of a row's last zone are all zones that follow in the next row, also while it is open. The
 * caller counts the next row (`below`) before this one, so that it counts no children of a later zone. */
static uint64_t child_end(const struct td_series *row, uint64_t index, uint64_t below)
{
    if (index + 1 < td_series_count(row))
        return (uint64_t)td_series_get(row, index, TD_ZONE_CHILD_END);
    return below;
}

struct td_zone td_trace_zone(const struct td_trace *trace, uint32_t track, uint32_t row, size_t index)
{
    const struct td_series *below = td_trace_row(trace, track, row + 1);
    uint64_t children = below ? td_series_count(below) : 0;
    const struct td_series *series = td_trace_row(trace, track, row);
    if (!series || index >= td_series_count(series))
        return (struct td_zone){0};
    int64_t duration = td_series_get(series, index, TD_ZONE_DURATION);
    struct td_zone zone = {
        .start_ns = td_series_get(series, index, TD_ZONE_START),
        .srcloc = (uint32_t)td_series_get(series, index, TD_ZONE_SRCLOC),
        .child_begin = index ? (size_t)td_series_get(series, index - 1, TD_ZONE_CHILD_END) : 0,
        .child_end = child_end(series, index, children),
    };
    if (zone.child_end < zone.child_begin)
        zone.child_end = zone.child_begin;
    zone.end_ns = duration < 0 ? TD_OPEN : td_trace_end_(zone.start_ns, duration);
    td_trace_zone_extra(trace, td_series_get(series, index, TD_ZONE_EXTRA), &zone);
    return zone;
}

void td_trace_zone_extra(const struct td_trace *trace, int64_t extra, struct td_zone *zone)
{
    int64_t row[TD_EXTRA_COLUMN_COUNT];
    const struct td_series *table = td_trace_table(trace, TD_TABLE_EXTRA);
    if (extra <= 0 || (uint64_t)extra >= td_series_count(table))
        return;
    td_series_row(table, (uint64_t)extra, row);
    zone->stack = (uint32_t)row[TD_EXTRA_STACK];
    zone->text = (uint32_t)row[TD_EXTRA_TEXT];
    zone->name = (uint32_t)row[TD_EXTRA_NAME];
    zone->color = (uint32_t)row[TD_EXTRA_COLOR];
}

static bool ends_after(const struct td_series *row, uint64_t index, int64_t time_ns)
{
    int64_t duration = td_series_get(row, index, TD_ZONE_DURATION);
    return duration < 0 || td_trace_end_(td_series_get(row, index, TD_ZONE_START), duration) > time_ns;
}

/* Binary search: in a row, ends are in order as starts are. */
size_t td_trace_zone_after(const struct td_trace *trace, uint32_t track, uint32_t row, int64_t time_ns)
{
    const struct td_series *series = td_trace_row(trace, track, row);
    if (!series)
        return 0;
    uint64_t low = 0, high = td_series_count(series);
    TD_BISECT(low, high, middle, !(ends_after(series, middle, time_ns)));
    return low;
}
