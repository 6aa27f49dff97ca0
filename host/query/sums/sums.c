/* Rows are cut into parts that any thread may take. Each thread sums a part in an array by location, and then
 * moves what the part has touched into its list; the lists are sorted and joined at the end. So nothing
 * depends on the number of threads but the order in which squares are added. */
#include "host/query/sums/sums.h"
#include "host/base/compare.h"
#include "host/base/grow.h"
#include "host/base/parallel.h"
#include "host/base/wrap.h"
#include "host/trace/self_time.h"
#include "host/query/task/zone_parts.h"

#include <stdlib.h>

struct sums_worker {
    struct td_sum *by_location; /* of the present part */
    uint32_t *touched;
    size_t touched_count, touched_capacity;
    struct td_sum *list;
    size_t count, capacity;
    struct td_zones zones, children;
};

struct sums_work {
    const struct td_trace *trace;
    int64_t from_ns, to_ns, now_ns;
    struct td_job *job;
    struct td_zone_parts parts;
    uint32_t locations;
    uint8_t *flags; /* of each location */
    struct sums_worker *workers;
    struct td_lane_sum *lanes; /* of each part */
    size_t done;               /* parts; atomic */
};

static const struct td_lane_sum no_zones = {
    .first_ns = INT64_MAX, .last_ns = INT64_MIN, .longest_ns = -1, .longest = {UINT32_MAX, 0, 0}};

/* ---- a part ---- */

static struct td_sum *sum_of(struct sums_worker *worker, const struct sums_work *w, uint32_t track,
                             uint64_t location)
{
    struct td_sum *sum = &worker->by_location[location < w->locations ? location : 0];
    if (sum->track != UINT32_MAX)
        return sum;
    if (TD_APPEND(worker->touched, worker->touched_count, worker->touched_capacity,
                  (uint32_t)(sum - worker->by_location)) < 0)
        return NULL;
    *sum = (struct td_sum){.track = track,
                           .srcloc = (uint32_t)(sum - worker->by_location),
                           .min_ns = INT64_MAX,
                           .longest = TD_NO_ZONE};
    return sum;
}

static void add_zone(struct td_sum *sum, struct td_zone_ref zone, int64_t length, int64_t self)
{
    if (length < 0) {
        sum->open++;
        return;
    }
    sum->count++;
    if (length == 0)
        return;
    sum->timed++;
    sum->total_ns = td_wrap_add(sum->total_ns, length);
    sum->self_ns = td_wrap_add(sum->self_ns, self);
    sum->min_ns = length < sum->min_ns ? length : sum->min_ns;
    if (length > sum->max_ns) {
        sum->max_ns = length;
        sum->longest = zone;
    }
    sum->squares += (double)length * (double)length;
}

static void add_to_lane(const struct sums_work *w, struct td_lane_sum *lane, const struct td_zone_part *part,
                        uint64_t index, int64_t start, int64_t length, unsigned flags)
{
    int64_t end = length < 0 ? w->now_ns : td_wrap_add(start, length);
    end = end < start ? start : end;
    int64_t cut_start = start > w->from_ns ? start : w->from_ns, cut_end = end < w->to_ns ? end : w->to_ns;
    int64_t cut = cut_end > cut_start ? cut_end - cut_start : 0;
    lane->zones++;
    lane->first_ns = start < lane->first_ns ? start : lane->first_ns;
    lane->last_ns = end > lane->last_ns ? end : lane->last_ns;
    if (flags & TD_SRCLOC_LOST) {
        lane->lost++;
        lane->lost_ns = td_wrap_add(lane->lost_ns, cut);
        return;
    }
    if (flags & TD_SRCLOC_WAIT)
        lane->wait_ns = td_wrap_add(lane->wait_ns, cut);
    if (part->row)
        return;
    lane->busy_ns = td_wrap_add(lane->busy_ns, cut);
    if (length > lane->longest_ns) {
        lane->longest_ns = length;
        lane->longest = (struct td_zone_ref){part->track, part->row, index};
    }
}

static int sum_part(struct sums_work *w, struct sums_worker *worker, const struct td_zone_part *part,
                    struct td_lane_sum *lane)
{
    const bool parents = part->row + 1 < td_trace_rows(w->trace, part->track);
    const unsigned columns = 1u << TD_ZONE_START | 1u << TD_ZONE_DURATION | 1u << TD_ZONE_SRCLOC |
                             (parents ? 1u << TD_ZONE_CHILD_END : 0);
    struct td_zones *zones = &worker->zones;
    uint64_t child = 0;
    worker->children.count = 0;
    if (parents)
        child = td_trace_zone(w->trace, part->track, part->row, part->first).child_begin;
    for (uint64_t first = part->first; first < part->end; first = zones->first + zones->count) {
        if (!td_trace_zones_read(w->trace, part->track, part->row, first, columns, zones))
            break;
        for (uint32_t i = 0; i < zones->count && first + i < part->end; i++) {
            const int64_t start = zones->column[TD_ZONE_START][i],
                          length = zones->column[TD_ZONE_DURATION][i];
            const uint64_t location = (uint64_t)zones->column[TD_ZONE_SRCLOC][i];
            int64_t self = length;
            if (parents && (uint64_t)zones->column[TD_ZONE_CHILD_END][i] > child)
                self = td_self_time(length,
                                    td_zones_length(w->trace, part->track, part->row + 1, &worker->children,
                                                    &child, (uint64_t)zones->column[TD_ZONE_CHILD_END][i]));
            add_to_lane(w, lane, part, first + i, start, length,
                        location < w->locations ? w->flags[location] : 0);
            if (start < w->from_ns || (length >= 0 && td_wrap_add(start, length) > w->to_ns))
                continue;
            struct td_sum *sum = sum_of(worker, w, part->track, location);
            if (!sum)
                return TD_E_NOMEM;
            add_zone(sum, (struct td_zone_ref){part->track, part->row, first + i}, length, self);
        }
    }
    return 0;
}

/* Moves the sums of a part to the worker's list. */
static int take_touched(struct sums_worker *worker, bool outermost)
{
    int rc = td_grow(&worker->list, &worker->capacity, worker->count + worker->touched_count,
                     sizeof *worker->list);
    for (size_t i = 0; i < worker->touched_count; i++) {
        struct td_sum *sum = &worker->by_location[worker->touched[i]];
        sum->outer_ns = outermost ? sum->total_ns : 0;
        if (rc == 0)
            worker->list[worker->count++] = *sum;
        sum->track = UINT32_MAX;
    }
    worker->touched_count = 0;
    return rc;
}

static int make_worker(struct sums_worker *worker, uint32_t locations)
{
    worker->by_location = malloc(((size_t)locations + 1) * sizeof *worker->by_location);
    for (uint32_t i = 0; worker->by_location && i <= locations; i++)
        worker->by_location[i].track = UINT32_MAX;
    return worker->by_location ? 0 : TD_E_NOMEM;
}

static int run_part(void *self, size_t item, unsigned number)
{
    struct sums_work *w = self;
    struct sums_worker *worker = &w->workers[number];
    if (w->job && td_job_cancelled(w->job))
        return TD_E_STOPPED;
    if (!worker->by_location && make_worker(worker, w->locations) < 0)
        return TD_E_NOMEM;
    w->lanes[item] = no_zones;
    if (sum_part(w, worker, &w->parts.part[item], &w->lanes[item]) < 0 ||
        take_touched(worker, !w->parts.part[item].row) < 0)
        return TD_E_NOMEM;
    if (w->job)
        td_job_set_progress(w->job, __atomic_add_fetch(&w->done, 1, __ATOMIC_RELAXED), w->parts.count);
    return 0;
}

/* ---- results ---- */

static void join_lane(struct td_lane_sum *to, const struct td_lane_sum *more)
{
    to->zones += more->zones;
    to->lost += more->lost;
    to->busy_ns = td_wrap_add(to->busy_ns, more->busy_ns);
    to->wait_ns = td_wrap_add(to->wait_ns, more->wait_ns);
    to->lost_ns = td_wrap_add(to->lost_ns, more->lost_ns);
    to->first_ns = more->first_ns < to->first_ns ? more->first_ns : to->first_ns;
    to->last_ns = more->last_ns > to->last_ns ? more->last_ns : to->last_ns;
    if (more->longest_ns > to->longest_ns) {
        to->longest_ns = more->longest_ns;
        to->longest = more->longest;
    }
}

void td_sum_add(struct td_sum *sum, const struct td_sum *more)
{
    sum->count += more->count;
    sum->timed += more->timed;
    sum->open += more->open;
    sum->total_ns = td_wrap_add(sum->total_ns, more->total_ns);
    sum->self_ns = td_wrap_add(sum->self_ns, more->self_ns);
    sum->min_ns = more->min_ns < sum->min_ns ? more->min_ns : sum->min_ns;
    sum->outer_ns = td_wrap_add(sum->outer_ns, more->outer_ns);
    if (more->max_ns > sum->max_ns) {
        sum->max_ns = more->max_ns;
        sum->longest = more->longest;
    }
    sum->squares += more->squares;
}

TD_COMPARE(compare_sums, struct td_sum, TD_UP(srcloc) TD_UP(track))

static int collect(struct td_sums *sums, const struct sums_work *w, unsigned workers)
{
    size_t all = 0, used = 0;
    for (unsigned i = 0; i < workers; i++)
        all += w->workers[i].count;
    sums->sum = malloc((all + 1) * sizeof *sums->sum);
    sums->lane = malloc(((size_t)sums->tracks + 1) * sizeof *sums->lane);
    if (!sums->sum || !sums->lane)
        return TD_E_NOMEM;
    for (unsigned i = 0; i < workers; i++)
        for (size_t k = 0; k < w->workers[i].count; k++)
            sums->sum[used++] = w->workers[i].list[k];
    qsort(sums->sum, all, sizeof *sums->sum, compare_sums);
    for (size_t i = 0; i < all; i++)
        if (sums->count && compare_sums(&sums->sum[sums->count - 1], &sums->sum[i]) == 0)
            td_sum_add(&sums->sum[sums->count - 1], &sums->sum[i]);
        else
            sums->sum[sums->count++] = sums->sum[i];
    for (uint32_t t = 0; t < sums->tracks; t++)
        sums->lane[t] = no_zones;
    for (size_t i = 0; i < w->parts.count; i++)
        join_lane(&sums->lane[w->parts.part[i].track], &w->lanes[i]);
    return 0;
}

int td_sums_make(struct td_sums *sums, const struct td_trace *trace, int64_t from_ns, int64_t to_ns,
                 int64_t now_ns, const struct td_lane_choice *lanes, struct td_job *job)
{
    const struct td_dict *dict = td_trace_dict(trace);
    unsigned workers = td_parallel_threads(0);
    struct sums_work w = {.trace = trace, .from_ns = from_ns, .to_ns = to_ns, .now_ns = now_ns, .job = job};
    *sums = (struct td_sums){.tracks = td_dict_track_count(dict), .from_ns = from_ns, .to_ns = to_ns};
    w.locations = td_dict_srcloc_count(dict);
    w.flags = malloc((size_t)w.locations + 1);
    w.workers = calloc(workers, sizeof *w.workers);
    int rc = w.flags && w.workers ? td_zone_parts_make(&w.parts, trace, from_ns, to_ns, lanes) : TD_E_NOMEM;
    w.lanes = malloc((w.parts.count + 1) * sizeof *w.lanes);
    for (uint32_t s = 0; w.flags && s < w.locations; s++)
        w.flags[s] = (uint8_t)td_dict_get_srcloc(dict, s)->flags;
    if (rc == 0)
        rc = w.lanes ? td_parallel(workers, w.parts.count, run_part, &w) : TD_E_NOMEM;
    rc = rc ? rc : collect(sums, &w, workers);
    for (unsigned i = 0; w.workers && i < workers; i++) {
        free(w.workers[i].by_location);
        free(w.workers[i].touched);
        free(w.workers[i].list);
    }
    free(w.workers);
    free(w.flags);
    td_zone_parts_free(&w.parts);
    free(w.lanes);
    if (rc < 0)
        td_sums_free(sums);
    return rc;
}

void td_sums_free(struct td_sums *sums)
{
    free(sums->sum);
    free(sums->lane);
    *sums = (struct td_sums){0};
}
