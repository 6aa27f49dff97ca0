#include "host/query/rows/gpu_clock.h"
#include "host/base/compare.h"
#include "host/trace/walk.h"

#include <math.h>
#include <stdlib.h>

#define MOST_ZONES 4096 /* of a context, evenly chosen */
#define PAIRS      10000

/* When a zone was issued and when it began. */
struct gpu_start {
    double cpu_ns, gpu_ns;
};

TD_COMPARE_NUMBERS(compare_slopes, double)

/* The outermost zones of the track, up to `most`. */
static size_t read_starts(const struct td_trace *trace, uint32_t track, struct gpu_start *starts, size_t most)
{
    const unsigned columns = 1u << TD_ZONE_START | 1u << TD_ZONE_CPU_START | 1u << TD_ZONE_QUERY;
    const size_t zones = td_trace_row_zones(trace, track, 0), step = zones / most + 1;
    struct td_zones *block = malloc(sizeof *block);
    size_t count = 0;
    for (size_t at = 0; block && at < zones && count < most; at += step) {
        if (!td_trace_zones_read(trace, track, 0, at, columns, block))
            break;
        if (block->column[TD_ZONE_QUERY][0] & TD_ZONE_NO_START)
            continue;
        starts[count++] = (struct gpu_start){(double)block->column[TD_ZONE_CPU_START][0],
                                             (double)block->column[TD_ZONE_START][0]};
    }
    free(block);
    return count;
}

/* The median of how fast GPU time runs beside host time; 0: no two zones have different times. */
static double median_slope(const struct gpu_start *starts, size_t count)
{
    double *slopes = malloc(PAIRS * sizeof *slopes), median = 0;
    uint64_t seed = 1;
    size_t found = 0;
    for (int i = 0; slopes && i < PAIRS; i++) {
        size_t pair[2];
        for (int k = 0; k < 2; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            pair[k] = (seed >> 33) % count;
        }
        const struct gpu_start *a = &starts[pair[0]], *b = &starts[pair[1]];
        if (a->cpu_ns != b->cpu_ns)
            slopes[found++] = (b->gpu_ns - a->gpu_ns) / (b->cpu_ns - a->cpu_ns);
    }
    if (found) {
        qsort(slopes, found, sizeof *slopes, compare_slopes);
        median = slopes[found / 2];
    }
    free(slopes);
    return median;
}

int td_gpu_drift_measure(const struct td_trace *trace, uint32_t context, double *drift)
{
    const struct td_dict *dict = td_trace_dict(trace);
    struct gpu_start *starts = malloc(MOST_ZONES * sizeof *starts);
    size_t count = 0;
    double slope = 0;
    for (uint32_t t = 0; starts && t < td_dict_track_count(dict) && count < 2; t++)
        if (td_dict_get_track(dict, t)->context == context + 1)
            count = read_starts(trace, t, starts, MOST_ZONES);
    if (count >= 2)
        slope = median_slope(starts, count);
    free(starts);
    if (slope <= 0)
        return TD_E_NOTFOUND;
    *drift = round(fmin(fmax(1e9 * (1 / slope - 1), -TD_GPU_DRIFT_MAX), TD_GPU_DRIFT_MAX));
    return 0;
}

void td_gpu_clock_begin(struct td_gpu_clock *clock, const struct td_trace *trace, uint32_t context)
{
    const struct td_dict *dict = td_trace_dict(trace);
    bool has_zone = false;
    for (uint32_t t = 0; t < td_dict_track_count(dict); t++) {
        if (td_dict_get_track(dict, t)->context != context + 1 || !td_trace_row_zones(trace, t, 0))
            continue;
        const double start = (double)td_trace_zone(trace, t, 0, 0).start_ns;
        clock->begin_ns = has_zone ? fmin(clock->begin_ns, start) : start;
        has_zone = true;
    }
}
