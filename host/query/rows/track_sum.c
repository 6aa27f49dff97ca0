#include "host/query/rows/track_sum.h"
#include "host/base/wrap.h"
#include "host/trace/fill.h"

#define BLOCK TD_SERIES_ROWS

static uint64_t count_all_open(const struct td_series *row)
{
    uint64_t count = td_series_count(row), open = 0;
    for (uint64_t i = 0; i < count; i += BLOCK) {
        int64_t durations[BLOCK];
        uint64_t n = count - i < BLOCK ? count - i : BLOCK;
        td_series_read(row, TD_ZONE_DURATION, i, n, durations);
        for (uint64_t k = 0; k < n; k++)
            open += durations[k] < 0;
    }
    return open;
}

/* In a thread, only the last zone of a row can be open, and only if its parent is. In a GPU context, any zone
 * can. */
static uint64_t count_open(const struct td_trace *trace, uint32_t track)
{
    const bool gpu = td_dict_get_track(td_trace_dict(trace), track)->context != 0;
    uint64_t open = 0;
    for (uint32_t r = 0; r < td_trace_rows(trace, track); r++) {
        const struct td_series *row = td_trace_row(trace, track, r);
        uint64_t count = td_series_count(row);
        if (gpu)
            open += count_all_open(row);
        else if (count && td_series_get(row, count - 1, TD_ZONE_DURATION) < 0)
            open++;
        else
            break;
    }
    return open;
}

struct td_track_sum td_track_sum_of(const struct td_trace *trace, uint32_t track)
{
    struct td_track_sum s = {.zones = td_trace_track_zones(trace, track), .first_ns = 0, .last_ns = -1};
    const struct td_series *roots = td_trace_row(trace, track, 0);
    uint64_t count = roots ? td_series_count(roots) : 0;
    for (uint64_t i = 0; i < count; i += BLOCK) {
        int64_t starts[BLOCK], durations[BLOCK];
        uint64_t n = count - i < BLOCK ? count - i : BLOCK;
        td_series_read(roots, TD_ZONE_START, i, n, starts);
        td_series_read(roots, TD_ZONE_DURATION, i, n, durations);
        for (uint64_t k = 0; k < n; k++) {
            int64_t length = durations[k] < 0 ? 0 : durations[k];
            int64_t end = td_wrap_add(starts[k], length);
            s.first_ns = i + k ? s.first_ns : starts[k];
            s.last_ns = end > s.last_ns ? end : s.last_ns;
            s.busy_ns = td_wrap_add(s.busy_ns, length);
        }
    }
    s.open = count_open(trace, track);
    return s;
}

struct td_track_totals td_track_totals_of(const struct td_trace *trace)
{
    const struct td_dict *dict = td_trace_dict(trace);
    struct td_track_totals all = {0};
    for (uint32_t t = 0; t < td_dict_track_count(dict); t++) {
        const struct td_track *track = td_dict_get_track(dict, t);
        struct td_track_sum s = td_track_sum_of(trace, t);
        if (track->context) {
            all.gpu_rows++;
            all.gpu_zones += s.zones;
            all.gpu_open += s.open;
            continue;
        }
        all.cores += track->kind == TD_TRACK_CORE;
        all.threads += track->kind != TD_TRACK_CORE;
        all.zones += s.zones;
        all.open += s.open;
    }
    return all;
}
