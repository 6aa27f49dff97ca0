/* Statistics per source location, over all tracks. */
#include "host/base/grow.h"
#include "host/trace/model.h"
#include "host/trace/walk.h"

#include <math.h>

/* Differences and sums that wrap instead of being undefined: the times may come from a hostile file. */
static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static void add_zone(struct td_stat *stat, int64_t time_ns, int64_t self_ns)
{
    stat->count++;
    if (time_ns <= 0)
        return;
    if (!stat->timed || time_ns < stat->min_ns)
        stat->min_ns = time_ns;
    if (!stat->timed || self_ns < stat->self_min_ns)
        stat->self_min_ns = self_ns;
    if (time_ns > stat->max_ns)
        stat->max_ns = time_ns;
    if (!stat->timed || self_ns > stat->self_max_ns)
        stat->self_max_ns = self_ns;
    stat->timed++;
    stat->total_ns = add(stat->total_ns, time_ns);
    stat->self_ns = add(stat->self_ns, self_ns);
    stat->sum_squares += (double)time_ns * (double)time_ns;
}

static int64_t children_time(const struct td_trace *trace, uint32_t track, const struct td_step *step)
{
    int64_t total = 0;
    const struct td_series *row = td_trace_row(trace, track, step->row + 1);
    for (size_t i = step->zone.child_begin; i < step->zone.child_end; i++) {
        int64_t length = td_series_get(row, i, TD_ZONE_DURATION);
        total = add(total, length < 0 ? 0 : length);
    }
    return total;
}

/* Depth first, parents before children: the order in which stock tools sum up, so that sums of doubles come
 * out alike. */
static int add_track(const struct td_trace *trace, uint32_t number, struct td_stat *stats)
{
    struct td_walk walk;
    struct td_step step;
    if (td_walk_begin(&walk, trace, number) < 0)
        return -1;
    while (td_walk_next(&walk, &step)) {
        const struct td_zone *zone = &step.zone;
        if (step.leaves)
            continue;
        if (zone->end_ns == TD_OPEN) {
            stats[zone->srcloc].open++;
            continue;
        }
        int64_t time = td_trace_length_(zone->start_ns, zone->end_ns);
        add_zone(&stats[zone->srcloc], time, add(time, -children_time(trace, number, &step)));
    }
    td_walk_end(&walk);
    return 0;
}

/* Mean and deviation as stock tools compute them: the mean is a whole number. */
static void conclude(struct td_stat *stat)
{
    if (!stat->timed)
        return;
    double n = (double)stat->timed;
    stat->mean_ns = (double)stat->total_ns / n;
    if (stat->timed > 1) {
        uint64_t mean = (uint64_t)stat->total_ns / stat->timed;
        double square = stat->sum_squares - 2. * (double)stat->total_ns * (double)mean +
                        (double)(mean * mean * stat->timed);
        stat->std_ns = square > 0 ? sqrt(square / (n - 1)) : 0;
    }
}

static int compute(struct td_trace *trace)
{
    uint32_t count = td_dict_srcloc_count(trace->dict);
    struct td_stat *stats = calloc(count, sizeof *stats);
    if (!stats)
        return -1;
    for (uint32_t t = 0; t < trace->tracks.count; t++) {
        if (!td_dict_get_track(trace->dict, t)->context && add_track(trace, t, stats) < 0) {
            free(stats);
            return -1;
        }
    }
    size_t used = 0;
    for (uint32_t s = 0; s < count; s++) {
        if (!stats[s].count && !stats[s].open)
            continue;
        stats[s].srcloc = s;
        conclude(&stats[s]);
        stats[used++] = stats[s];
    }
    trace->stats = stats;
    trace->stat_count = used;
    return 0;
}

size_t td_trace_stats(const struct td_trace *constant, const struct td_stat **stats)
{
    struct td_trace *trace = (struct td_trace *)constant; /* what it computes is kept, under a lock */
    pthread_mutex_lock(&trace->stats_lock);
    if (!trace->have_stats && compute(trace) == 0)
        trace->have_stats = 1;
    *stats = trace->stats;
    size_t count = trace->stat_count;
    pthread_mutex_unlock(&trace->stats_lock);
    return count;
}
