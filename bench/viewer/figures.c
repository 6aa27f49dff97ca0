#include "bench/viewer/figures.h"
#include "host/trace/fill.h"
#include "host/query/sums/location_figures.h"
#include "host/query/sums/sums.h"
#include "host/query/sums/zone_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ZONES       50000000u
#define ZONES_QUICK 100000u
#define THREADS     8u
#define INNER       9u /* zones in each outer one */
#define LOCATIONS   24u
#define RUNS        2
#define PROCESSORS  2 /* that the limit is for */
#define SUMS_MS     500
#define TREE        (TD_TIMINGS + 1)
#define TREE_MS     3000

/* Outer zones with INNER zones each, of LOCATIONS places and of lengths from 64 ns to 64 us. */
static int fill_thread(struct td_trace *trace, uint32_t number, uint32_t zones, const uint32_t *places)
{
    struct td_dict *dict = td_trace_fill_dict(trace);
    const struct td_track track = {.thread = 100 + number};
    struct td_fill fill;
    uint64_t random = number;
    int64_t now_ns = 1000;
    int rc = td_fill_begin(&fill, trace, td_dict_track(dict, &track), NULL);
    for (uint32_t i = 0; rc == 0 && i < zones; i += INNER + 1) {
        int64_t length[INNER], all = 20;
        for (uint32_t k = 0; k < INNER; k++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            const int64_t least = INT64_C(64) << (random >> 32) % 10;
            length[k] = least + (int64_t)(random >> 40) % least;
            all += length[k] + 20;
        }
        rc = td_fill_enter(&fill, now_ns, -1, places[0], 0) < 0 ? -1 : 0;
        td_fill_down(&fill);
        now_ns += 20;
        for (uint32_t k = 0; rc == 0 && k < INNER; k++) {
            rc = td_fill_enter(&fill, now_ns, length[k], places[1 + (random >> k) % (LOCATIONS - 1)], 0) < 0
                     ? -1
                     : 0;
            now_ns += length[k] + 20;
        }
        td_fill_leave(&fill, all);
    }
    td_fill_end(&fill);
    return rc;
}

static struct td_trace *make_trace(uint32_t zones)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    uint32_t places[LOCATIONS];
    int rc = trace ? 0 : -1;
    for (uint32_t i = 0; rc == 0 && i < LOCATIONS; i++) {
        struct td_dict *dict = td_trace_fill_dict(trace);
        const struct td_srcloc place = {.name = td_dict_cstring(dict, "work"), .line = i + 1};
        places[i] = td_dict_srcloc(dict, &place);
    }
    for (uint32_t t = 0; rc == 0 && t < THREADS; t++)
        rc = fill_thread(trace, t, zones / THREADS, places);
    if (rc == 0 && td_trace_finish(trace, NULL) == 0)
        return trace;
    td_trace_destroy(trace);
    return NULL;
}

static int make_sums(const struct td_trace *trace)
{
    struct td_sums sums;
    const int rc = td_sums_make(&sums, trace, INT64_MIN, INT64_MAX, INT64_MAX, NULL, NULL);
    td_sums_free(&sums);
    return rc;
}

static int make_figures(const struct td_trace *trace, enum td_timing timing)
{
    const struct td_figures_wanted want = {trace, INT64_MIN, INT64_MAX, timing, NULL};
    struct td_location_figures figures;
    const int rc = td_location_figures_make(&figures, &want, NULL);
    td_location_figures_free(&figures);
    return rc;
}

static int make_tree(const struct td_trace *trace)
{
    const struct td_zone_tree_choice choice = {.from_ns = INT64_MIN, .to_ns = INT64_MAX};
    struct td_call_tree tree;
    const int rc = td_zone_tree_make(trace, &choice, NULL, &tree, NULL);
    td_call_tree_free(&tree);
    return rc;
}

/* The best of some runs, as in histogram.c: where the processors' time divided by PROCESSORS is less than that of the
 * clock, it counts. `timing`: TD_TIMINGS for the sums, TREE for those of a flame graph. */
static double measure(const struct td_trace *trace, int timing)
{
    double best = INFINITY;
    for (int i = 0; i < RUNS; i++) {
        const double wall = wall_seconds(), cpu = cpu_seconds();
        if ((timing == TREE         ? make_tree(trace)
             : timing == TD_TIMINGS ? make_sums(trace)
                                    : make_figures(trace, (enum td_timing)timing)) < 0)
            return NAN;
        best = fmin(best, fmin(wall_seconds() - wall, (cpu_seconds() - cpu) / PROCESSORS));
    }
    return best * 1e3;
}

int report_figures(struct report *report, bool quick)
{
    static const char *const names[TD_TIMINGS] = {"whole", "self", "outer"};
    struct td_trace *trace = make_trace(quick ? ZONES_QUICK : ZONES);
    if (!trace)
        return report_failure(report, "the figures", "have no trace: out of memory");
    report_most(report, "sums_ms_50m", "ms", measure(trace, TD_TIMINGS), NAN, SUMS_MS);
    report_most(report, "flame_ms_50m", "ms", measure(trace, TREE), NAN, TREE_MS);
    for (int t = 0; t < TD_TIMINGS; t++)
        report_note(report, "percentiles of %s lengths: %.0f ms", names[t], measure(trace, t));
    td_trace_destroy(trace);
    return 0;
}
