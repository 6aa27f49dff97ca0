#include "host/query/rows/fiber_runs.h"
#include "host/base/compare.h"
#include "host/base/sorted.h"
#include "host/base/grow.h"
#include "host/event/map.h"
#include "host/trace/tables.h"

#include <stdlib.h>

TD_COMPARE(compare_runs, struct td_fiber_run, TD_UP(start_ns) TD_UP(other))

static int add_run(struct td_fiber_runs *r, uint32_t track, const struct td_fiber_run *run)
{
    struct td_track_runs *t = &r->tracks[track];
    return TD_APPEND(t->runs, t->count, t->capacity, *run);
}

static int read_fiber(struct td_fiber_runs *r, uint32_t fiber, const struct td_series *switches,
                      struct td_map *tracks)
{
    const uint64_t count = td_series_count(switches);
    for (uint64_t i = 0; i < count; i++) {
        const int64_t start = td_series_get(switches, i, TD_SWITCH_START),
                      end = td_series_get(switches, i, TD_SWITCH_END);
        const uint64_t thread = (uint64_t)td_series_get(switches, i, TD_SWITCH_FIBER_THREAD);
        const uint32_t on =
            thread ? td_map_get(tracks, td_mix64(thread), TD_NO_FIBER_TRACK) : TD_NO_FIBER_TRACK;
        struct td_fiber_run run = {start, end < start ? TD_OPEN : end, on};
        if (run.end_ns == TD_OPEN && i + 1 < count)
            run.end_ns = td_series_get(switches, i + 1, TD_SWITCH_START);
        if (add_run(r, fiber, &run) < 0)
            return TD_E_NOMEM;
        run.other = fiber;
        if (on != TD_NO_FIBER_TRACK && add_run(r, on, &run) < 0)
            return TD_E_NOMEM;
    }
    return 0;
}

int td_fiber_runs_build(struct td_fiber_runs *r, const struct td_trace *trace)
{
    const struct td_dict *dict = td_trace_dict(trace);
    const struct td_series *threads = td_trace_table(trace, TD_TABLE_SWITCH_THREAD);
    struct td_map tracks = {0};
    int rc = 0;
    *r = (struct td_fiber_runs){.track_count = td_dict_track_count(dict)};
    bool any = false;
    for (uint32_t t = 0; t < r->track_count; t++)
        any |= td_dict_get_track(dict, t)->fiber;
    if (!any || !td_series_count(threads))
        return 0;
    r->tracks = calloc((size_t)r->track_count + 1, sizeof *r->tracks);
    rc = r->tracks ? 0 : TD_E_NOMEM;
    for (uint32_t t = 0; rc == 0 && t < r->track_count; t++) {
        const struct td_track *track = td_dict_get_track(dict, t);
        if (track->kind == TD_TRACK_THREAD)
            rc = td_map_set(&tracks, td_mix64(track->thread), t);
    }
    for (uint64_t i = 0; rc == 0 && i < td_series_count(threads); i++) {
        const uint64_t thread = (uint64_t)td_series_get(threads, i, TD_SWITCH_THREAD_THREAD);
        const uint32_t track = td_map_get(&tracks, td_mix64(thread), TD_NO_FIBER_TRACK);
        if (track != TD_NO_FIBER_TRACK && td_dict_get_track(dict, track)->fiber)
            rc = read_fiber(r, track, td_trace_list(trace, TD_TABLE_SWITCH, i), &tracks);
    }
    for (uint32_t t = 0; rc == 0 && t < r->track_count; t++)
        if (r->tracks[t].count)
            qsort(r->tracks[t].runs, r->tracks[t].count, sizeof *r->tracks[t].runs, compare_runs);
    td_map_finish(&tracks);
    if (rc < 0)
        td_fiber_runs_free(r);
    return rc;
}

void td_fiber_runs_free(struct td_fiber_runs *r)
{
    for (uint32_t t = 0; r->tracks && t < r->track_count; t++)
        free(r->tracks[t].runs);
    free(r->tracks);
    *r = (struct td_fiber_runs){0};
}

const struct td_track_runs *td_fiber_runs_of(const struct td_fiber_runs *r, uint32_t track)
{
    return r->tracks && track < r->track_count && r->tracks[track].count ? &r->tracks[track] : NULL;
}

size_t td_fiber_runs_after(const struct td_track_runs *t, size_t from, double time_ns)
{
    size_t high = t->count;
    TD_BISECT(from, high, middle, (double)t->runs[middle].end_ns <= time_ns);
    return from;
}
