#include "bench/viewer/histogram.h"
#include "host/base/process.h"
#include "host/trace/fill.h"
#include "host/query/sums/bins.h"
#include "host/query/sums/instance_groups.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ZONES        10000000u
#define ZONES_QUICK  100000u
#define THREADS      8u
#define RUNS         3
#define BINS         300
#define PROCESSORS   2 /* that the limit is for */
#define HISTOGRAM_MS 200
#define ZONE_BYTES   16

static const char name[] = "work";

enum spread { EQUAL, SPREAD };

/* EQUAL: within 64 ns. SPREAD: from 64 ns to a millisecond, each power of two as often as the others. */
static int64_t draw_ns(uint64_t *random, enum spread spread)
{
    *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    const int64_t least = INT64_C(64) << (spread == SPREAD ? (*random >> 32) % 14 : 0);
    return (spread == SPREAD ? 0 : 1000) + least + (int64_t)(*random >> 40) % least;
}

static int fill_thread(struct td_trace *trace, uint32_t number, uint32_t zones, enum spread spread)
{
    struct td_dict *dict = td_trace_fill_dict(trace);
    const uint32_t work = td_dict_srcloc(dict, &(struct td_srcloc){.name = td_dict_cstring(dict, name)});
    const struct td_track track = {.thread = 100 + number};
    struct td_fill fill;
    uint64_t random = number;
    int64_t now_ns = 1000;
    int rc = td_fill_begin(&fill, trace, td_dict_track(dict, &track), NULL);
    for (uint32_t i = 0; rc == 0 && i < zones; i++) {
        const int64_t length = draw_ns(&random, spread);
        rc = td_fill_enter(&fill, now_ns, length, work, 0) < 0 ? -1 : 0;
        now_ns += length + 20;
    }
    td_fill_end(&fill);
    return rc;
}

static struct td_trace *make_trace(uint32_t zones, enum spread spread)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    int rc = trace ? 0 : -1;
    for (uint32_t t = 0; rc == 0 && t < THREADS; t++)
        rc = fill_thread(trace, t, zones / THREADS, spread);
    if (rc == 0 && td_trace_finish(trace, NULL) == 0)
        return trace;
    td_trace_destroy(trace);
    return NULL;
}

static int make_histogram(struct td_instances *instances, struct td_bins *bins, const struct td_trace *trace)
{
    const struct td_instances_wanted want = {trace, name, INT64_MIN, INT64_MAX, TD_LENGTH_WHOLE, NULL};
    if (td_instances_make(instances, &want, NULL) < 0 || !instances->count)
        return -1;
    td_bins_make(bins, instances, td_instances_length(instances, 0),
                 td_instances_length(instances, instances->count - 1), BINS, true);
    return 0;
}

/* The best of some runs. Other work on the machine prolongs them, so where the processors' time is less, it counts:
 * that of all threads, divided by PROCESSORS. */
static int measure_time(const struct td_trace *trace, double *ms, bool *by_processor)
{
    static struct td_bins bins;
    double wall = INFINITY, cpu = INFINITY;
    for (int i = 0; i < RUNS; i++) {
        struct td_instances instances;
        const double wall_begin = wall_seconds(), cpu_begin = cpu_seconds();
        if (make_histogram(&instances, &bins, trace) < 0)
            return -1;
        wall = fmin(wall, wall_seconds() - wall_begin);
        cpu = fmin(cpu, (cpu_seconds() - cpu_begin) / PROCESSORS);
        td_instances_free(&instances);
    }
    *by_processor = cpu < wall;
    *ms = fmin(cpu, wall) * 1e3;
    return 0;
}

/* Forgets the greatest memory so far; false: the kernel cannot. */
static bool reset_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");
    const bool written = file && fputs("5", file) >= 0;
    return file && fclose(file) == 0 && written;
}

/* As the panel does it: the histogram, groups by track, then the list by length, or, at a click, by time. */
static int fill_panel(const struct td_trace *trace, enum td_instance_sort sort)
{
    static struct td_bins bins;
    struct td_instances instances;
    struct td_instance_groups groups = {0};
    struct td_instance_list list = {0};
    int rc = make_histogram(&instances, &bins, trace);
    if (rc == 0)
        rc = td_instance_groups_make(&groups, trace, &instances, TD_INSTANCE_BY_TRACK, 0, instances.count,
                                     NULL);
    if (rc == 0)
        rc = td_instance_list_make(&list, trace, &instances, &groups, SIZE_MAX, 0, instances.count, sort,
                                   NULL);
    td_instance_list_free(&list);
    td_instance_groups_free(&groups);
    td_instances_free(&instances);
    return rc;
}

static int measure_memory(const struct td_trace *trace, double *bytes)
{
    static const enum td_instance_sort sorts[] = {TD_SORT_LENGTH, TD_SORT_TIME};
    *bytes = 0;
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++) {
        uint64_t before, after, peak;
        malloc_trim(0);
        if (!reset_peak())
            return -1;
        td_process_memory(&before, &peak);
        if (fill_panel(trace, sorts[i]) < 0)
            return -1;
        td_process_memory(&after, &peak);
        *bytes = fmax(*bytes, (double)(peak - before));
    }
    return 0;
}

int report_histogram(struct report *report, bool quick)
{
    const uint32_t zones = quick ? ZONES_QUICK : ZONES;
    double most_ms = 0, most_bytes = 0;
    bool by_processor = false;
    for (enum spread s = EQUAL; s <= SPREAD; s++) {
        struct td_trace *trace = make_trace(zones, s);
        double ms = 0, bytes = 0;
        bool processor = false;
        int rc = trace ? measure_time(trace, &ms, &processor) : -1;
        rc = rc ? rc : measure_memory(trace, &bytes);
        td_trace_destroy(trace);
        if (rc < 0)
            return report_failure(report, "the histogram", "cannot be made or measured");
        report_note(report, "histogram of %s lengths: %.0f ms%s, %.1f bytes a zone",
                    s == SPREAD ? "spread" : "equal", ms, processor ? " (half of the processor time)" : "",
                    bytes / zones);
        by_processor = ms > most_ms ? processor : by_processor;
        most_ms = fmax(most_ms, ms);
        most_bytes = fmax(most_bytes, bytes);
    }
    report_most(report, "histogram_ms_10m", "ms", most_ms, NAN, HISTOGRAM_MS);
    report_most(report, "instances_bytes_zone", "bytes", most_bytes / zones, NAN, ZONE_BYTES);
    if (by_processor)
        report_note(report,
                    "histogram_ms_10m is processor time of all threads / %d: the machine does other work",
                    PROCESSORS);
    return 0;
}
