/* Percentiles of zone lengths by groups of source locations, from histograms with 2048 steps an octave. */
#include "host/base/parallel.h"
#include "host/trace/model.h"
#include "host/trace/walk.h"

#include <math.h>
#include <stdlib.h>

#define STEPS_LOG2 11u
#define STEPS      (1u << STEPS_LOG2)
/* Octave 0: the lengths below STEPS; octave k: those from STEPS << (k - 1) on. */
#define OCTAVES (64u - STEPS_LOG2)

/* An octave's counts are allocated by the first zone in it: most groups have lengths in few octaves. */
struct histogram {
    uint32_t *octaves[OCTAVES]; /* atomic, as the counts are */
    uint64_t timed;
    int64_t min_ns, max_ns;
};

struct percentile_work {
    const struct td_trace *trace;
    const struct part *parts;
    struct histogram *histograms; /* by group */
    uint32_t *group_of;           /* by location; may be TD_TRACE_NO_GROUP */
    uint32_t locations;
};

static unsigned step_of(uint64_t length, unsigned *step)
{
    unsigned octave = length < STEPS ? 0 : 64u - STEPS_LOG2 - (unsigned)__builtin_clzll(length);
    *step = (unsigned)(length >> (octave ? octave - 1 : 0)) & (STEPS - 1);
    return octave;
}

/* The least length of a step. */
static uint64_t least_of(unsigned octave, unsigned step)
{
    return octave ? (uint64_t)(STEPS | step) << (octave - 1) : step;
}

static uint32_t *octave_of(struct histogram *h, unsigned octave)
{
    uint32_t *counts = __atomic_load_n(&h->octaves[octave], __ATOMIC_ACQUIRE);
    if (counts)
        return counts;
    uint32_t *made = calloc(STEPS, sizeof *made);
    if (made && !__atomic_compare_exchange_n(&h->octaves[octave], &counts, made, 0, __ATOMIC_ACQ_REL,
                                             __ATOMIC_ACQUIRE)) {
        free(made);
        return counts;
    }
    return made;
}

static int count_part(void *self, size_t item, unsigned worker)
{
    const struct percentile_work *w = self;
    const struct part *part = &w->parts[item];
    const unsigned columns = 1u << TD_ZONE_DURATION | 1u << TD_ZONE_SRCLOC;
    struct td_zones *zones = &(struct td_zones){0};
    for (uint64_t first = part->first; first < part->end; first += zones->count) {
        td_trace_zones_read(w->trace, part->track, part->row, first, columns, zones);
        for (uint32_t i = 0; i < zones->count; i++) {
            int64_t length = zones->column[TD_ZONE_DURATION][i];
            uint64_t location = (uint64_t)zones->column[TD_ZONE_SRCLOC][i];
            unsigned step, octave = step_of((uint64_t)length, &step);
            if (length <= 0 || location >= w->locations || w->group_of[location] == TD_TRACE_NO_GROUP)
                continue;
            uint32_t *counts = octave_of(&w->histograms[w->group_of[location]], octave);
            if (!counts)
                return TD_E_NOMEM;
            __atomic_fetch_add(&counts[step], 1, __ATOMIC_RELAXED);
        }
    }
    return 0;
}

/* The length of zone `number` in order of length, if the zones of a step were evenly spaced. */
static int64_t length_at(const struct histogram *h, uint64_t number)
{
    for (unsigned octave = 0; octave < OCTAVES; octave++) {
        for (unsigned step = 0; h->octaves[octave] && step < STEPS; step++) {
            uint64_t count = h->octaves[octave][step];
            if (number >= count) {
                number -= count;
                continue;
            }
            uint64_t least = least_of(octave, step), wide = octave ? UINT64_C(1) << (octave - 1) : 1;
            int64_t length =
                (int64_t)(least + (uint64_t)((double)wide * ((double)number + 0.5) / (double)count));
            length = length < h->min_ns ? h->min_ns : length;
            return length > h->max_ns ? h->max_ns : length;
        }
    }
    return h->max_ns;
}

static void read_off(const struct histogram *h, const double *fractions, size_t count, int64_t *values)
{
    for (size_t k = 0; k < count; k++) {
        double rank = ceil(fractions[k] * (double)h->timed) - 1;
        uint64_t number = rank > 0 ? (uint64_t)rank : 0;
        number = number < h->timed ? number : h->timed - 1;
        values[k] = h->timed ? length_at(h, number) : 0;
    }
}

/* Fills group_of, and each group's count and range of lengths. */
static void group_locations(struct percentile_work *w, const uint32_t *group_of_stat)
{
    for (uint32_t s = 0; s < w->locations; s++)
        w->group_of[s] = TD_TRACE_NO_GROUP;
    const struct td_stat *stats;
    size_t used = td_trace_stats(w->trace, &stats);
    for (size_t i = 0; i < used; i++) {
        uint32_t group = group_of_stat[i];
        w->group_of[stats[i].srcloc] = group;
        if (group == TD_TRACE_NO_GROUP || !stats[i].timed)
            continue;
        struct histogram *h = &w->histograms[group];
        h->min_ns = !h->timed || stats[i].min_ns < h->min_ns ? stats[i].min_ns : h->min_ns;
        h->max_ns = stats[i].max_ns > h->max_ns ? stats[i].max_ns : h->max_ns;
        h->timed += stats[i].timed;
    }
}

int td_trace_percentiles(const struct td_trace *trace, const uint32_t *group_of_stat, size_t groups,
                         const double *fractions, size_t count, int64_t *values)
{
    size_t parts;
    struct percentile_work w = {.trace = trace, .locations = td_dict_srcloc_count(trace->dict)};
    struct part *list = td_trace_parts_(trace, 0, &parts);
    w.parts = list;
    w.histograms = calloc(groups + 1, sizeof *w.histograms);
    w.group_of = malloc((w.locations + 1) * sizeof *w.group_of);
    int rc = TD_E_NOMEM;
    if (list && w.histograms && w.group_of) {
        group_locations(&w, group_of_stat);
        rc = td_parallel(parts > 16 ? 0 : 1, parts, count_part, &w);
    }
    for (size_t g = 0; rc == 0 && g < groups; g++)
        read_off(&w.histograms[g], fractions, count, &values[g * count]);
    for (size_t g = 0; w.histograms && g < groups; g++) {
        for (unsigned octave = 0; octave < OCTAVES; octave++)
            free(w.histograms[g].octaves[octave]);
    }
    free(w.group_of);
    free(w.histograms);
    free(list);
    return rc;
}
