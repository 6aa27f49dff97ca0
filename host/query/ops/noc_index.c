#include "host/base/compare.h"
#include "host/base/sorted.h"
#include "host/event/map.h"
#include "host/query/ops/noc_traffic.h"

#include <stdlib.h>
#include <string.h>

static uint64_t place_key(uint32_t chip, struct td_noc_place place)
{
    return (uint64_t)chip << 32 | (uint32_t)place.x << 16 | place.y;
}

static int step_job(void *self, uint64_t done, uint64_t all)
{
    struct td_job *job = self;
    td_job_set_progress(job, done, all);
    return td_job_cancelled(job);
}

TD_COMPARE(compare_times, struct td_noc_transfer, TD_UP(time_ns) TD_UP(track))

/* The messages of a trace that grows are in the order in which they came. */
static void sort_transfers(struct td_noc_transfers *t)
{
    size_t i = 1;
    while (i < t->count && t->list[i - 1].time_ns <= t->list[i].time_ns)
        i++;
    if (i < t->count)
        qsort(t->list, t->count, sizeof *t->list, compare_times);
}

static int index_tracks(struct td_noc_index *x)
{
    const struct td_noc_transfers *t = &x->transfers;
    for (size_t i = 0; i < t->count; i++)
        x->tracks = t->list[i].track >= x->tracks ? t->list[i].track + 1 : x->tracks;
    x->of_track = malloc((t->count + 1) * sizeof *x->of_track);
    x->first = calloc((size_t)x->tracks + 2, sizeof *x->first);
    if (!x->of_track || !x->first)
        return TD_E_NOMEM;
    /* Counts, then the end of each track, then its begin, while the transfers are put in from the last one. */
    for (size_t i = 0; i < t->count; i++)
        x->first[t->list[i].track]++;
    for (uint32_t track = 1; track <= x->tracks; track++)
        x->first[track] += x->first[track - 1];
    for (size_t i = t->count; i-- > 0;)
        x->of_track[--x->first[t->list[i].track]] = (uint32_t)i;
    return 0;
}

static int index_lanes(struct td_noc_index *x, const struct td_dict *dict)
{
    struct td_core_place core;
    for (uint32_t track = 0; track < td_dict_track_count(dict); track++) {
        if (!td_core_place_of(dict, track, &core))
            continue;
        const uint64_t key = place_key(core.device, td_noc_core_place(&x->transfers.maps, &core));
        const uint32_t known = td_map_get(&x->lanes, key, 0);
        struct td_core_place other;
        if (known && td_core_place_of(dict, known - 1, &other) && other.lane <= core.lane)
            continue;
        if (td_map_set(&x->lanes, key, track + 1) < 0)
            return TD_E_NOMEM;
    }
    return 0;
}

int td_noc_index_make(struct td_noc_index *index, const struct td_trace *trace, struct td_job *job)
{
    const struct td_progress progress = {job ? step_job : NULL, job};
    struct td_err err;
    *index = (struct td_noc_index){0};
    int rc = td_noc_transfers_make(&index->transfers, trace, &progress, &err);
    if (rc == 0 && index->transfers.count >= UINT32_MAX)
        rc = TD_E_NOMEM;
    if (rc == 0 && index->transfers.count) {
        sort_transfers(&index->transfers);
        rc = index_tracks(index);
        rc = rc ? rc : index_lanes(index, td_trace_dict(trace));
    }
    if (rc)
        td_noc_index_free(index);
    return rc;
}

void td_noc_index_free(struct td_noc_index *index)
{
    td_noc_transfers_free(&index->transfers);
    free(index->of_track);
    free(index->first);
    td_map_finish(&index->lanes);
    *index = (struct td_noc_index){0};
}

size_t td_noc_index_at(const struct td_noc_index *index, int64_t time_ns)
{
    size_t low = 0, high = index->transfers.count;
    TD_BISECT(low, high, middle, index->transfers.list[middle].time_ns < time_ns);
    return low;
}

size_t td_noc_index_of(const struct td_noc_index *index, uint32_t track, int64_t time_ns)
{
    if (track >= index->tracks)
        return index->transfers.count;
    size_t low = index->first[track], high = index->first[track + 1];
    TD_BISECT(low, high, middle, index->transfers.list[index->of_track[middle]].time_ns < time_ns);
    return low;
}

uint32_t td_noc_index_lane(const struct td_noc_index *index, uint32_t chip, struct td_noc_place place)
{
    return td_map_get(&index->lanes, place_key(chip, place), 0) - 1;
}
