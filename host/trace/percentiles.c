/* Percentiles of zones' lengths by source location, from histograms: an octave has 128 steps. */
#include "host/base/parallel.h"
#include "host/trace/model.h"
#include "host/trace/walk.h"

#include <math.h>
#include <stdlib.h>

#define STEPS_LOG2 7u
#define STEPS      (1u << STEPS_LOG2)
#define OCTAVES                                                                                              \
    (64u - STEPS_LOG2) /* octave 0: the lengths below STEPS, octave k: those from STEPS << k-1 on */

/* Pages are made when the first zone needs them: few locations have lengths in more than some octaves. */
struct histogram {
    uint64_t *octaves[OCTAVES]; /* atomic, as the counts are */
};

struct work {
    const struct td_trace *trace;
    const struct part *parts;
    struct histogram *histograms; /* by location */
    uint32_t locations;
};

static unsigned step_of(uint64_t length, unsigned *step)
{
    unsigned octave = length < STEPS ? 0 : 64u - STEPS_LOG2 - (unsigned)__builtin_clzll(length);
    *step = (unsigned)(length >> (octave ? octave - 1 : 0)) & (STEPS - 1);
    return octave;
}

/* The least length of a step; that of the next step is where it ends. */
static uint64_t least_of(unsigned octave, unsigned step)
{
    return octave ? (uint64_t)(STEPS | step) << (octave - 1) : step;
}

static uint64_t *octave_of(struct histogram *h, unsigned octave)
{
    uint64_t *counts = __atomic_load_n(&h->octaves[octave], __ATOMIC_ACQUIRE);
    if (counts)
        return counts;
    uint64_t *made = calloc(STEPS, sizeof *made);
    if (made && !__atomic_compare_exchange_n(&h->octaves[octave], &counts, made, 0, __ATOMIC_ACQ_REL,
                                             __ATOMIC_ACQUIRE)) {
        free(made);
        return counts;
    }
    return made;
}

static int count_part(void *self, size_t item, unsigned worker)
{
    const struct work *w = self;
    const struct part *part = &w->parts[item];
    const unsigned columns = 1u << TD_ZONE_DURATION | 1u << TD_ZONE_SRCLOC;
    struct td_zones *zones = &(struct td_zones){0};
    for (uint64_t first = part->first; first < part->end; first += zones->count) {
        td_trace_zones_read(w->trace, part->track, part->row, first, columns, zones);
        for (uint32_t i = 0; i < zones->count; i++) {
            int64_t length = zones->column[TD_ZONE_DURATION][i];
            uint64_t location = (uint64_t)zones->column[TD_ZONE_SRCLOC][i];
            unsigned step, octave = step_of((uint64_t)length, &step);
            if (length <= 0 || location >= w->locations)
                continue;
            uint64_t *counts = octave_of(&w->histograms[location], octave);
            if (!counts)
                return TD_E_NOMEM;
            __atomic_fetch_add(&counts[step], 1, __ATOMIC_RELAXED);
        }
    }
    return 0;
}

/* Of the zones in order of length the one of that number, as if those of a step stood at even distances. */
static int64_t length_at(const struct histogram *h, const struct td_stat *stat, uint64_t number)
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
            length = length < stat->min_ns ? stat->min_ns : length;
            return length > stat->max_ns ? stat->max_ns : length;
        }
    }
    return stat->max_ns;
}

static void read_off(const struct work *w, const double *fractions, size_t count, int64_t *values)
{
    const struct td_stat *stats;
    size_t used = td_trace_stats(w->trace, &stats);
    for (size_t i = 0; i < used; i++) {
        for (size_t k = 0; k < count; k++) {
            double rank = ceil(fractions[k] * (double)stats[i].timed) - 1;
            uint64_t number = rank > 0 ? (uint64_t)rank : 0;
            number = number < stats[i].timed ? number : stats[i].timed - 1;
            values[i * count + k] =
                stats[i].timed ? length_at(&w->histograms[stats[i].srcloc], &stats[i], number) : 0;
        }
    }
}

int td_trace_percentiles(const struct td_trace *trace, const double *fractions, size_t count, int64_t *values)
{
    size_t parts;
    struct work w = {.trace = trace, .locations = td_dict_srcloc_count(trace->dict)};
    struct part *list = td_trace_parts_(trace, 0, &parts);
    w.parts = list;
    w.histograms = calloc(w.locations, sizeof *w.histograms);
    int rc = list && w.histograms ? td_parallel(parts > 16 ? 0 : 1, parts, count_part, &w) : TD_E_NOMEM;
    if (rc == 0)
        read_off(&w, fractions, count, values);
    for (uint32_t s = 0; w.histograms && s < w.locations; s++) {
        for (unsigned octave = 0; octave < OCTAVES; octave++)
            free(w.histograms[s].octaves[octave]);
    }
    free(w.histograms);
    free(list);
    return rc;
}
