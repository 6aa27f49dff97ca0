/* Parts of rows are summed by any thread. Where a location may be within itself, the whole track is walked instead,
 * with a count of the open zones of each location. */
#include "host/query/sums/location_figures.h"
#include "host/base/parallel.h"
#include "host/base/wrap.h"
#include "host/trace/length_histogram.h"
#include "host/trace/self_time.h"
#include "host/trace/walk.h"
#include "host/query/task/zone_parts.h"

#include <math.h>
#include <stdlib.h>

#define CHECK_EVERY 65536 /* steps of a walk between two looks at whether the job is cancelled */

struct figures_worker {
    struct td_figures *of; /* by location */
    uint32_t *open; /* by location: zones around the present place of a walk; NULL: none was needed yet */
    struct td_zones zones, children;
};

struct figures_work {
    struct td_figures_wanted want;
    struct td_job *job;
    struct td_zone_parts parts;
    uint32_t tracks, locations;
    uint8_t *nested;  /* of each track: it has more than one row, so that a location may be within itself */
    uint32_t *walked; /* tracks to be walked */
    size_t walks;
    struct td_length_histogram *histograms; /* by location */
    struct figures_worker *workers;
    size_t done; /* atomic */
};

static bool is_counted(const struct figures_work *w, int64_t start, int64_t length)
{
    return length >= 0 && start >= w->want.from_ns && td_wrap_add(start, length) <= w->want.to_ns;
}

static int add_length(struct figures_work *w, struct figures_worker *worker, uint64_t location,
                      int64_t length, int64_t counts)
{
    location = location < w->locations ? location : 0;
    struct td_figures *f = &worker->of[location];
    f->count++;
    if (length == 0)
        return 0;
    f->min_ns = !f->timed || counts < f->min_ns ? counts : f->min_ns;
    f->max_ns = !f->timed || counts > f->max_ns ? counts : f->max_ns;
    f->timed++;
    f->total_ns = td_wrap_add(f->total_ns, counts);
    f->squares += (double)counts * (double)counts;
    return td_length_histogram_add(&w->histograms[location], counts < 0 ? 0 : counts);
}

/* ---- parts and walks ---- */

static int add_part(struct figures_work *w, struct figures_worker *worker, const struct td_zone_part *part)
{
    const struct td_trace *trace = w->want.trace;
    const bool self = w->want.timing == TD_TIMING_SELF && part->row + 1 < td_trace_rows(trace, part->track);
    const unsigned columns = 1u << TD_ZONE_START | 1u << TD_ZONE_DURATION | 1u << TD_ZONE_SRCLOC |
                             (self ? 1u << TD_ZONE_CHILD_END : 0);
    struct td_zones *zones = &worker->zones;
    uint64_t child = self ? td_trace_zone(trace, part->track, part->row, part->first).child_begin : 0;
    worker->children.count = 0;
    for (uint64_t first = part->first; first < part->end; first = zones->first + zones->count) {
        if (!td_trace_zones_read(trace, part->track, part->row, first, columns, zones))
            break;
        for (uint32_t i = 0; i < zones->count && first + i < part->end; i++) {
            const int64_t length = zones->column[TD_ZONE_DURATION][i];
            int64_t counts = length;
            if (self && (uint64_t)zones->column[TD_ZONE_CHILD_END][i] > child)
                counts = td_self_time(length,
                                      td_zones_length(trace, part->track, part->row + 1, &worker->children,
                                                      &child, (uint64_t)zones->column[TD_ZONE_CHILD_END][i]));
            if (is_counted(w, zones->column[TD_ZONE_START][i], length) &&
                add_length(w, worker, (uint64_t)zones->column[TD_ZONE_SRCLOC][i], length, counts) < 0)
                return TD_E_NOMEM;
        }
    }
    return 0;
}

/* Counts the zones of a track that are in no zone of their location. */
static int walk_track(struct figures_work *w, struct figures_worker *worker, uint32_t track)
{
    struct td_walk walk;
    struct td_step step;
    if (!worker->open)
        worker->open = calloc((size_t)w->locations + 1, sizeof *worker->open);
    int rc = worker->open ? td_walk_begin(&walk, w->want.trace, track) : TD_E_NOMEM;
    if (rc < 0)
        return rc;
    for (size_t steps = 0; rc == 0 && td_walk_next(&walk, &step); steps++) {
        const uint32_t location = step.zone.srcloc < w->locations ? step.zone.srcloc : 0;
        if (steps % CHECK_EVERY == 0 && w->job && td_job_cancelled(w->job))
            rc = TD_E_STOPPED;
        if (step.leaves) {
            worker->open[location]--;
            continue;
        }
        const int64_t length =
            step.zone.end_ns == TD_OPEN ? -1 : td_wrap_add(step.zone.end_ns, -step.zone.start_ns);
        if (!worker->open[location]++ && rc == 0 && is_counted(w, step.zone.start_ns, length))
            rc = add_length(w, worker, location, length, length);
    }
    td_walk_end(&walk);
    if (rc < 0) { /* the walk has not left all zones */
        free(worker->open);
        worker->open = NULL;
    }
    return rc;
}

/* Items are the tracks that are walked, then the parts of the others. */
static int run_item(void *self, size_t item, unsigned number)
{
    struct figures_work *w = self;
    struct figures_worker *worker = &w->workers[number];
    int rc = 0;
    if (w->job && td_job_cancelled(w->job))
        return TD_E_STOPPED;
    if (!worker->of && !(worker->of = calloc((size_t)w->locations + 1, sizeof *worker->of)))
        return TD_E_NOMEM;
    if (item < w->walks)
        rc = walk_track(w, worker, w->walked[item]);
    else if (!w->nested[w->parts.part[item - w->walks].track])
        rc = add_part(w, worker, &w->parts.part[item - w->walks]);
    if (w->job)
        td_job_set_progress(w->job, __atomic_add_fetch(&w->done, 1, __ATOMIC_RELAXED),
                            w->walks + w->parts.count);
    return rc;
}

/* ---- results ---- */

static void join_figures(struct td_figures *to, const struct td_figures *more)
{
    to->count += more->count;
    if (!more->timed)
        return;
    to->min_ns = !to->timed || more->min_ns < to->min_ns ? more->min_ns : to->min_ns;
    to->max_ns = !to->timed || more->max_ns > to->max_ns ? more->max_ns : to->max_ns;
    to->timed += more->timed;
    to->total_ns = td_wrap_add(to->total_ns, more->total_ns);
    to->squares += more->squares;
}

static void collect_figures(struct td_location_figures *figures, const struct figures_work *w,
                            unsigned workers)
{
    for (uint32_t s = 0; s < w->locations; s++) {
        struct td_figures *f = &figures->of[s];
        for (unsigned i = 0; i < workers; i++)
            if (w->workers[i].of)
                join_figures(f, &w->workers[i].of[s]);
        f->median_ns = td_length_histogram_at(&w->histograms[s], f->timed, .5, f->min_ns, f->max_ns);
        f->p90_ns = td_length_histogram_at(&w->histograms[s], f->timed, .9, f->min_ns, f->max_ns);
        f->p99_ns = td_length_histogram_at(&w->histograms[s], f->timed, .99, f->min_ns, f->max_ns);
    }
}

/* Which tracks must be walked: those with zones in several rows. */
static void choose_walks(struct figures_work *w)
{
    if (w->want.timing != TD_TIMING_OUTER)
        return;
    for (uint32_t t = 0; t < w->tracks; t++) {
        w->nested[t] = td_trace_rows(w->want.trace, t) > 1;
        if (w->nested[t] && td_lane_chosen(w->want.lanes, t))
            w->walked[w->walks++] = t;
    }
}

int td_location_figures_make(struct td_location_figures *figures, const struct td_figures_wanted *wanted,
                             struct td_job *job)
{
    const struct td_dict *dict = td_trace_dict(wanted->trace);
    const unsigned workers = td_parallel_threads(0);
    struct figures_work w = {.want = *wanted,
                             .job = job,
                             .tracks = td_dict_track_count(dict),
                             .locations = td_dict_srcloc_count(dict)};
    *figures = (struct td_location_figures){.locations = w.locations, .timing = wanted->timing};
    figures->of = calloc((size_t)w.locations + 1, sizeof *figures->of);
    w.histograms = calloc((size_t)w.locations + 1, sizeof *w.histograms);
    w.workers = calloc(workers, sizeof *w.workers);
    w.nested = calloc((size_t)w.tracks + 1, 1);
    w.walked = malloc(((size_t)w.tracks + 1) * sizeof *w.walked);
    int rc = TD_E_NOMEM;
    if (figures->of && w.histograms && w.workers && w.nested && w.walked)
        rc = td_zone_parts_make(&w.parts, wanted->trace, wanted->from_ns, wanted->to_ns, wanted->lanes);
    if (rc == 0) {
        choose_walks(&w);
        rc = td_parallel(workers, w.walks + w.parts.count, run_item, &w);
    }
    if (rc == 0)
        collect_figures(figures, &w, workers);
    for (unsigned i = 0; w.workers && i < workers; i++) {
        free(w.workers[i].of);
        free(w.workers[i].open);
    }
    for (uint32_t s = 0; w.histograms && s < w.locations; s++)
        td_length_histogram_free(&w.histograms[s]);
    free(w.histograms);
    free(w.workers);
    free(w.nested);
    free(w.walked);
    td_zone_parts_free(&w.parts);
    if (rc < 0)
        td_location_figures_free(figures);
    return rc;
}

void td_location_figures_free(struct td_location_figures *figures)
{
    free(figures->of);
    *figures = (struct td_location_figures){0};
}

double td_figures_mean_ns(const struct td_figures *figures)
{
    return figures->timed ? (double)figures->total_ns / (double)figures->timed : 0;
}

double td_figures_deviation_ns(const struct td_figures *figures)
{
    if (figures->timed < 2)
        return 0;
    double n = (double)figures->timed, mean = (double)figures->total_ns / n;
    return sqrt(fmax(figures->squares - mean * (double)figures->total_ns, 0) / (n - 1));
}
