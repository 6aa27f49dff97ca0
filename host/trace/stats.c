/* Statistics per source location.
 *
 * Counts, sums and extremes of integers do not depend on the order. So rows are cut into parts that any
 * thread may take, and each thread has its own sums. The sums of squares are doubles; their order decides the
 * last digits, which the deviation shows. So one thread sums them in the order of stock tools (squares.c). */
#include "host/base/parallel.h"
#include "host/base/wrap.h"
#include "host/trace/model.h"
#include "host/trace/self_time.h"
#include "host/trace/walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct tally {
    uint64_t timed;
    int64_t total, min, max;
    int64_t self, self_min, self_max;
    uint64_t zero, open;
    uint64_t squares; /* sum of squares; above EXACT: not exact */
};
#define EXACT (UINT64_C(1) << 53) /* doubles hold all integers up to it */

struct statistics_work {
    const struct td_trace *trace;
    const struct part *parts;
    uint32_t locations;
    struct tally **tallies; /* of each worker, by location */
    double *squares;
    int gpu, squares_last;
};

/* Lengths of the children of zones, in order. */
struct children {
    const struct td_series *row; /* NULL: there are none */
    uint64_t at, read_end;       /* the next child; end of those that were read */
    int64_t length[TD_SERIES_ROWS];
};

static int64_t children_time(struct children *c, uint64_t end)
{
    int64_t total = 0;
    while (c->at < end) {
        if (c->at >= c->read_end) {
            uint64_t n = TD_SERIES_ROWS - c->at % TD_SERIES_ROWS, left = td_series_count(c->row) - c->at;
            n = n < left ? n : left;
            td_series_read(c->row, TD_ZONE_DURATION, c->at, n, c->length + c->at % TD_SERIES_ROWS);
            c->read_end = c->at + n;
        }
        uint64_t stop = end < c->read_end ? end : c->read_end;
        for (; c->at < stop; c->at++) {
            int64_t length = c->length[c->at % TD_SERIES_ROWS];
            total = td_wrap_add(total, length < 0 ? 0 : length);
        }
    }
    return total;
}

static void add_zone(struct tally *t, int64_t length, int64_t self)
{
    if (length <= 0) {
        t->zero += length == 0;
        t->open += length < 0;
        return;
    }
    t->timed++;
    if (t->squares <= EXACT)
        t->squares += length < 1 << 27 ? (uint64_t)length * (uint64_t)length : EXACT + 1;
    t->total = td_wrap_add(t->total, length);
    t->self = td_wrap_add(t->self, self);
    t->min = length < t->min ? length : t->min;
    t->max = length > t->max ? length : t->max;
    t->self_min = self < t->self_min ? self : t->self_min;
    t->self_max = self > t->self_max ? self : t->self_max;
}

static void add_part(const struct statistics_work *w, const struct part *part, struct tally *tallies)
{
    struct td_zones zones;
    struct children children; /* its array is not cleared: that would dominate small parts */
    children.row = td_trace_row(w->trace, part->track, part->row + 1);
    children.at = children.read_end = 0;
    const struct td_series *row = td_trace_row(w->trace, part->track, part->row);
    if (part->first)
        children.at = (uint64_t)td_series_get(row, part->first - 1, TD_ZONE_CHILD_END);
    unsigned columns = 1u << TD_ZONE_DURATION | 1u << TD_ZONE_SRCLOC;
    if (children.row)
        columns |= 1u << TD_ZONE_CHILD_END;
    for (uint64_t first = part->first; first < part->end; first += zones.count) {
        td_trace_zones_read(w->trace, part->track, part->row, first, columns, &zones);
        for (uint32_t i = 0; i < zones.count; i++) {
            int64_t length = zones.column[TD_ZONE_DURATION][i], self = length;
            uint64_t location = (uint64_t)zones.column[TD_ZONE_SRCLOC][i];
            if (children.row && zones.column[TD_ZONE_CHILD_END][i] != (int64_t)children.at)
                self = td_self_time(length,
                                    children_time(&children, (uint64_t)zones.column[TD_ZONE_CHILD_END][i]));
            add_zone(&tallies[location < w->locations ? location : 0], length, self);
        }
    }
}

static struct tally *new_tallies(uint32_t locations)
{
    struct tally *tallies = malloc(locations * sizeof *tallies);
    for (uint32_t i = 0; tallies && i < locations; i++)
        tallies[i] = (struct tally){.min = INT64_MAX, .self_min = INT64_MAX, .self_max = INT64_MIN};
    return tallies;
}

/* Item 0 is the squares, unless there is one thread only; the other items are parts. */
static int work_item(void *self, size_t item, unsigned worker)
{
    struct statistics_work *w = self;
    if (item == 0)
        return w->squares_last ? 0 : td_trace_squares_(w->trace, w->gpu, w->squares, w->locations);
    if (!w->tallies[worker] && !(w->tallies[worker] = new_tallies(w->locations)))
        return TD_E_NOMEM;
    add_part(w, &w->parts[item - 1], w->tallies[worker]);
    return 0;
}

/* Mean and deviation as in stock tools, which round the mean down in the deviation. */
static void set_mean_and_deviation(struct td_stat *stat)
{
    if (!stat->timed)
        return;
    double n = (double)stat->timed;
    stat->mean_ns = (double)stat->total_ns / n;
    if (stat->timed > 1) {
        uint64_t mean = (uint64_t)stat->total_ns / stat->timed;
        uint64_t part = 0; /* stock's overflows for means of seconds */
        const bool fits =
            !__builtin_mul_overflow(mean, mean, &part) && !__builtin_mul_overflow(part, stat->timed, &part);
        double square = stat->sum_squares - 2. * (double)stat->total_ns * (double)mean +
                        (fits ? (double)part : (double)mean * (double)mean * n);
        stat->std_ns = square > 0 ? sqrt(square / (n - 1)) : 0;
    }
}

static void add_tally(struct td_stat *stat, const struct tally *t)
{
    stat->open += t->open;
    stat->count += t->timed + t->zero;
    if (!t->timed)
        return;
    if (!stat->timed || t->min < stat->min_ns)
        stat->min_ns = t->min;
    if (!stat->timed || t->self_min < stat->self_min_ns)
        stat->self_min_ns = t->self_min;
    if (!stat->timed || t->max > stat->max_ns)
        stat->max_ns = t->max;
    if (!stat->timed || t->self_max > stat->self_max_ns)
        stat->self_max_ns = t->self_max;
    stat->timed += t->timed;
    stat->total_ns = td_wrap_add(stat->total_ns, t->total);
    stat->self_ns = td_wrap_add(stat->self_ns, t->self);
}

static int make_stats(const struct statistics_work *w, unsigned workers, struct stats *to)
{
    struct td_stat *stats = calloc(w->locations, sizeof *stats);
    size_t used = 0;
    if (!stats)
        return TD_E_NOMEM;
    for (uint32_t s = 0; s < w->locations; s++) {
        struct td_stat stat = {.srcloc = s, .sum_squares = w->squares[s]};
        for (unsigned i = 0; i < workers; i++) {
            if (w->tallies[i])
                add_tally(&stat, &w->tallies[i][s]);
        }
        if (!stat.count && !stat.open)
            continue;
        set_mean_and_deviation(&stat);
        stats[used++] = stat;
    }
    to->stats = stats;
    to->count = used;
    to->have = 1;
    return 0;
}

/* With one thread: takes the integer sums where all of them are exact, and else sums in the order of stock
 * tools. Returns 0 or TD_E_NOMEM. */
static int add_squares(const struct statistics_work *w)
{
    int rounded = 0;
    for (uint32_t s = 0; w->tallies[0] && s < w->locations; s++) {
        w->squares[s] = (double)w->tallies[0][s].squares;
        rounded |= w->tallies[0][s].squares > EXACT;
    }
    if (!rounded)
        return 0;
    memset(w->squares, 0, w->locations * sizeof *w->squares);
    return td_trace_squares_(w->trace, w->gpu, w->squares, w->locations);
}

static void compute_stats(const struct td_trace *trace, int gpu, struct stats *to)
{
    unsigned workers = td_parallel_threads(0);
    size_t parts;
    struct statistics_work w = {.trace = trace, .locations = td_dict_srcloc_count(trace->dict), .gpu = gpu};
    struct part *list = td_trace_parts_(trace, gpu, &parts);
    w.parts = list;
    w.tallies = calloc(workers, sizeof *w.tallies);
    w.squares = calloc(w.locations, sizeof *w.squares);
    int ok = list && w.tallies && w.squares;
    workers = parts > 16 ? workers : 1;
    w.squares_last = workers == 1;
    if (ok && td_parallel(workers, parts + 1, work_item, &w) == 0 &&
        (!w.squares_last || add_squares(&w) == 0))
        make_stats(&w, workers, to);
    for (unsigned i = 0; w.tallies && i < workers; i++)
        free(w.tallies[i]);
    free(w.tallies);
    free(w.squares);
    free(list);
}

static size_t get_stats(const struct td_trace *constant, int gpu, const struct td_stat **stats)
{
    struct td_trace *trace = (struct td_trace *)(uintptr_t)constant; /* the result is cached in it */
    struct stats *kept = &trace->stats[gpu];
    pthread_mutex_lock(&trace->stats_lock);
    if (!kept->have && __atomic_load_n(&trace->finished, __ATOMIC_ACQUIRE) == FINISHED)
        compute_stats(trace, gpu, kept);
    *stats = kept->stats;
    size_t count = kept->count;
    pthread_mutex_unlock(&trace->stats_lock);
    return count;
}

size_t td_trace_stats(const struct td_trace *trace, const struct td_stat **stats)
{
    return get_stats(trace, 0, stats);
}

size_t td_trace_gpu_stats(const struct td_trace *trace, const struct td_stat **stats)
{
    return get_stats(trace, 1, stats);
}
