/* Percentiles of zone lengths by groups of source locations, from a histogram of each group. */
#include "host/base/parallel.h"
#include "host/trace/length_histogram.h"
#include "host/trace/model.h"
#include "host/trace/walk.h"

#include <stdlib.h>

struct group_lengths {
    struct td_length_histogram histogram;
    uint64_t timed;
    int64_t min_ns, max_ns;
};

struct percentile_work {
    const struct td_trace *trace;
    const struct part *parts;
    struct group_lengths *groups; /* by group */
    uint32_t *group_of;           /* by location; may be TD_TRACE_NO_GROUP */
    uint32_t locations;
};

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
            if (length <= 0 || location >= w->locations || w->group_of[location] == TD_TRACE_NO_GROUP)
                continue;
            if (td_length_histogram_add(&w->groups[w->group_of[location]].histogram, length) < 0)
                return TD_E_NOMEM;
        }
    }
    return 0;
}

/* Fills group_of, and each group's count and range of lengths. 0, or TD_E_NOMEM. */
static int group_locations(struct percentile_work *w, const uint32_t *group_of_stat)
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
        struct group_lengths *h = &w->groups[group];
        h->min_ns = !h->timed || stats[i].min_ns < h->min_ns ? stats[i].min_ns : h->min_ns;
        h->max_ns = stats[i].max_ns > h->max_ns ? stats[i].max_ns : h->max_ns;
        h->timed += stats[i].timed;
    }
    return stats ? 0 : TD_E_NOMEM;
}

int td_trace_percentiles(const struct td_trace *trace, const uint32_t *group_of_stat, size_t groups,
                         const double *fractions, size_t count, int64_t *values)
{
    size_t parts;
    struct percentile_work w = {.trace = trace, .locations = td_dict_srcloc_count(trace->dict)};
    struct part *list = td_trace_parts_(trace, 0, &parts);
    w.parts = list;
    w.groups = calloc(groups + 1, sizeof *w.groups);
    w.group_of = malloc((w.locations + 1) * sizeof *w.group_of);
    int rc = TD_E_NOMEM;
    if (list && w.groups && w.group_of)
        rc = group_locations(&w, group_of_stat);
    rc = rc ? rc : td_parallel(parts > 16 ? 0 : 1, parts, count_part, &w);
    for (size_t g = 0; rc == 0 && g < groups; g++)
        for (size_t k = 0; k < count; k++)
            values[g * count + k] =
                td_length_histogram_at(&w.groups[g].histogram, w.groups[g].timed, fractions[k],
                                       w.groups[g].min_ns, w.groups[g].max_ns);
    for (size_t g = 0; w.groups && g < groups; g++)
        td_length_histogram_free(&w.groups[g].histogram);
    free(w.group_of);
    free(w.groups);
    free(list);
    return rc;
}
