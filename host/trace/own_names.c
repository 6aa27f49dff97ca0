#include "host/trace/own_names.h"

#include "host/base/wrap.h"
#include "host/trace/model.h"
#include "host/trace/self_time.h"
#include "host/trace/walk.h"

#include <string.h>

static int64_t time_of_children(const struct td_trace *trace, uint32_t track, uint32_t row,
                                const struct td_zone *zone)
{
    const struct td_series *below = td_trace_row(trace, track, row + 1);
    int64_t total = 0;
    for (size_t i = zone->child_begin; below && i < zone->child_end; i++) {
        const int64_t length = td_series_get(below, i, TD_ZONE_DURATION);
        total = td_wrap_add(total, length > 0 ? length : 0);
    }
    return total;
}

static int take_zone(const struct td_trace *trace, uint32_t track, uint32_t row, uint64_t index,
                     int (*take)(void *self, const struct td_own_zone *zone), void *self)
{
    const struct td_zone zone = td_trace_zone(trace, track, row, index);
    const bool has_name = zone.name && strcmp(td_dict_text(trace->dict, zone.name),
                                              td_dict_zone_name(trace->dict, zone.srcloc));
    if (zone.end_ns == TD_OPEN || (!has_name && !zone.text))
        return 0;
    const int64_t length = zone.end_ns - zone.start_ns;
    const struct td_own_zone own = {.track = track,
                                    .srcloc = zone.srcloc,
                                    .name = has_name ? zone.name : 0,
                                    .text = zone.text,
                                    .start_ns = zone.start_ns,
                                    .length_ns = length,
                                    .self_ns =
                                        td_self_time(length, time_of_children(trace, track, row, &zone))};
    return take(self, &own);
}

int td_trace_each_own_zone(const struct td_trace *trace,
                           int (*take)(void *self, const struct td_own_zone *zone), void *self)
{
    int64_t extra[TD_SERIES_ROWS];
    int rc = 0;
    for (uint32_t t = 0; rc == 0 && t < td_dict_track_count(trace->dict); t++) {
        const uint32_t rows = td_dict_get_track(trace->dict, t)->context ? 0 : td_trace_rows(trace, t);
        for (uint32_t r = 0; rc == 0 && r < rows; r++) {
            const struct td_series *row = td_trace_row(trace, t, r);
            const uint64_t count = td_series_count(row);
            for (uint64_t first = 0; rc == 0 && first < count; first += TD_SERIES_ROWS) {
                const uint64_t n = count - first < TD_SERIES_ROWS ? count - first : TD_SERIES_ROWS;
                td_series_read(row, TD_ZONE_EXTRA, first, n, extra);
                for (uint64_t i = 0; rc == 0 && i < n; i++)
                    rc = extra[i] ? take_zone(trace, t, r, first + i, take, self) : 0;
            }
        }
    }
    return rc;
}
