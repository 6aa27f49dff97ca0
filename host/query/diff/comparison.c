#include "host/query/diff/comparison.h"
#include "host/base/compare.h"
#include "host/base/grow.h"
#include "host/base/wrap.h"
#include "host/trace/walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- tracks of the same name ---- */

struct named_track {
    const char *name;
    uint32_t track;
};

TD_COMPARE(by_name_and_track, struct named_track, TD_UP_TEXT(name) TD_UP(track))

static struct named_track *list_tracks(const struct td_trace *trace, uint32_t *count)
{
    const struct td_dict *dict = td_trace_dict(trace);
    *count = td_dict_track_count(dict);
    struct named_track *list = calloc((size_t)*count + 1, sizeof *list);
    for (uint32_t t = 0; list && t < *count; t++)
        list[t] = (struct named_track){td_dict_text(dict, td_dict_get_track(dict, t)->name), t};
    if (list)
        qsort(list, *count, sizeof *list, by_name_and_track);
    return list;
}

static int pair_tracks(struct td_comparison *c)
{
    struct named_track *list[2];
    uint32_t count[2], at[2] = {0, 0};
    for (int s = 0; s < 2; s++)
        list[s] = list_tracks(c->trace[s], &count[s]);
    c->pairs = calloc((size_t)count[0] + count[1] + 1, sizeof *c->pairs);
    int rc = list[0] && list[1] && c->pairs ? 0 : TD_E_NOMEM;
    while (rc == 0 && (at[0] < count[0] || at[1] < count[1])) {
        int order = at[0] == count[0]   ? 1
                    : at[1] == count[1] ? -1
                                        : strcmp(list[0][at[0]].name, list[1][at[1]].name);
        struct td_track_pair *pair = &c->pairs[c->pair_count++];
        *pair = (struct td_track_pair){.track = {UINT32_MAX, UINT32_MAX}};
        if (order <= 0) {
            pair->name = list[0][at[0]].name;
            pair->track[0] = list[0][at[0]++].track;
        }
        if (order >= 0) {
            pair->name = list[1][at[1]].name;
            pair->track[1] = list[1][at[1]++].track;
        }
    }
    free(list[0]);
    free(list[1]);
    return rc;
}

/* ---- the comparison ---- */

static bool is_all(const struct td_compare_range *range)
{
    return range->from_ns == INT64_MIN && range->to_ns == INT64_MAX;
}

/* The statistics of the range, which leave out the tracks of GPU contexts as those of whole traces do. */
static int add_range(struct td_comparison *c, int side, struct td_err *err)
{
    const struct td_sums *sums = &c->sums[side];
    const struct td_dict *dict = td_trace_dict(c->trace[side]);
    struct td_stat *stats = calloc((size_t)td_dict_srcloc_count(dict) + 1, sizeof *stats);
    size_t count = 0;
    if (!stats)
        return td_fail_no_memory(err, NULL);
    for (size_t i = 0; i < sums->count; i++) {
        const struct td_sum *sum = &sums->sum[i];
        if (td_dict_get_track(dict, sum->track)->context || !sum->count)
            continue;
        count += !count || stats[count - 1].srcloc != sum->srcloc;
        struct td_stat *stat = &stats[count - 1];
        if (sum->timed) {
            stat->min_ns = !stat->timed || sum->min_ns < stat->min_ns ? sum->min_ns : stat->min_ns;
            stat->max_ns = sum->max_ns > stat->max_ns ? sum->max_ns : stat->max_ns;
        }
        stat->srcloc = sum->srcloc;
        stat->count += sum->count;
        stat->timed += sum->timed;
        stat->total_ns = td_wrap_add(stat->total_ns, sum->total_ns);
        stat->self_ns = td_wrap_add(stat->self_ns, sum->self_ns);
    }
    const int rc = td_compare_table_add_stats(&c->table, c->trace[side], stats, count, side, err);
    free(stats);
    return rc;
}

int td_comparison_make(struct td_comparison *c, const struct td_trace *other, const struct td_trace *present,
                       const struct td_compare_range ranges[2], struct td_job *job, struct td_err *err)
{
    *c = (struct td_comparison){.trace = {other, present}, .range = {TD_COMPARE_ALL, TD_COMPARE_ALL}};
    int rc = 0;
    if (ranges)
        memcpy(c->range, ranges, sizeof c->range);
    for (int s = 0; rc == 0 && s < 2; s++) {
        if (!td_trace_is_finished(c->trace[s]))
            return td_fail(err, TD_E_USAGE, "a trace that still grows cannot be compared");
        const struct td_compare_range *range = &c->range[s];
        rc = td_sums_make(&c->sums[s], c->trace[s], range->from_ns, range->to_ns, INT64_MAX, NULL, job);
        if (rc == 0)
            rc = is_all(range) ? td_compare_table_add(&c->table, c->trace[s], s, err) : add_range(c, s, err);
        if (job && td_job_cancelled(job))
            rc = TD_E_STOPPED;
    }
    rc = rc ? rc : pair_tracks(c);
    if (rc == TD_E_NOMEM)
        td_fail_no_memory(err, NULL);
    if (rc < 0)
        td_comparison_free(c);
    return rc;
}

void td_comparison_free(struct td_comparison *c)
{
    td_compare_table_free(&c->table);
    td_sums_free(&c->sums[0]);
    td_sums_free(&c->sums[1]);
    free(c->pairs);
    *c = (struct td_comparison){0};
}

double td_comparison_slowdown_ns(const struct td_compare_entry *entry)
{
    if (!entry->side[0].timed || !entry->side[1].timed)
        return 0;
    return (entry->side[1].mean_ns - entry->side[0].mean_ns) * (double)entry->side[1].timed;
}

static bool is_of_entry(const struct td_dict *dict, uint32_t location, const struct td_compare_entry *entry)
{
    return !strcmp(td_dict_zone_name(dict, location), entry->name) &&
           !strcmp(td_dict_text(dict, td_dict_get_srcloc(dict, location)->file), entry->file);
}

/* ---- one name on each track ---- */

static int by_change(const void *a, const void *b)
{
    const struct td_track_change *x = a, *y = b;
    int64_t p = td_wrap_add(x->total_ns[1], -x->total_ns[0]),
            q = td_wrap_add(y->total_ns[1], -y->total_ns[0]);
    return p != q ? (p < q ? 1 : -1) : strcmp(x->name, y->name);
}

/* Adds the sums of the entry's locations on each track. */
static void add_totals(const struct td_comparison *c, int side, const struct td_compare_entry *entry,
                       int64_t *totals, uint8_t *has)
{
    const struct td_sums *sums = &c->sums[side];
    const struct td_dict *dict = td_trace_dict(c->trace[side]);
    bool mine = false;
    for (size_t i = 0; i < sums->count; i++) {
        const struct td_sum *sum = &sums->sum[i];
        if (!i || sums->sum[i - 1].srcloc != sum->srcloc)
            mine = is_of_entry(dict, sum->srcloc, entry);
        if (!mine)
            continue;
        totals[sum->track] = td_wrap_add(totals[sum->track], sum->total_ns);
        has[sum->track] = 1;
    }
}

int td_comparison_tracks(const struct td_comparison *c, const struct td_compare_entry *entry,
                         struct td_track_change **list, size_t *count)
{
    int64_t *totals[2];
    uint8_t *has[2];
    int rc = 0;
    *count = 0;
    *list = calloc(c->pair_count + 1, sizeof **list);
    for (int s = 0; s < 2; s++) {
        totals[s] = calloc((size_t)c->sums[s].tracks + 1, sizeof *totals[s]);
        has[s] = calloc((size_t)c->sums[s].tracks + 1, 1);
        if (!*list || !totals[s] || !has[s])
            rc = TD_E_NOMEM;
        else
            add_totals(c, s, entry, totals[s], has[s]);
    }
    for (size_t p = 0; rc == 0 && p < c->pair_count; p++) {
        struct td_track_change change = {.name = c->pairs[p].name};
        bool any = false;
        for (int s = 0; s < 2; s++)
            if (c->pairs[p].track[s] < c->sums[s].tracks) {
                change.total_ns[s] = totals[s][c->pairs[p].track[s]];
                any |= has[s][c->pairs[p].track[s]];
            }
        if (any)
            (*list)[(*count)++] = change;
    }
    if (rc == 0)
        qsort(*list, *count, sizeof **list, by_change);
    for (int s = 0; s < 2; s++) {
        free(totals[s]);
        free(has[s]);
    }
    if (rc < 0) {
        free(*list);
        *list = NULL;
    }
    return rc;
}

/* ---- lengths ---- */

static void count_length(struct td_length_bins *bins, int side, int64_t length)
{
    double ratio = log(bins->high_ns / bins->low_ns);
    int bin = ratio > 0 ? (int)(log((double)length / bins->low_ns) / ratio * TD_LENGTH_BINS) : 0;
    bins->count[side][bin < 0 ? 0 : bin >= TD_LENGTH_BINS ? TD_LENGTH_BINS - 1 : bin]++;
    bins->all[side]++;
}

/* Makes room for lengths from low to high, of one side after the other. */
static void extend_bins(struct td_length_bins *bins, double low, double high)
{
    bins->low_ns = bins->low_ns > 0 ? fmin(bins->low_ns, low) : low;
    bins->high_ns = fmax(fmax(bins->high_ns, high), bins->low_ns * 1.01);
}

static void count_row(const struct td_trace *trace, const struct td_compare_range *range, uint32_t track,
                      uint32_t row, const uint8_t *wanted, uint32_t locations, int side,
                      struct td_length_bins *bins, struct td_zones *zones, const struct td_job *job)
{
    const unsigned columns = 1u << TD_ZONE_START | 1u << TD_ZONE_DURATION | 1u << TD_ZONE_SRCLOC;
    for (uint64_t first = 0; td_trace_zones_read(trace, track, row, first, columns, zones);
         first = zones->first + zones->count) {
        if (job && td_job_cancelled(job))
            return;
        for (uint32_t i = 0; i < zones->count; i++) {
            const int64_t start = zones->column[TD_ZONE_START][i],
                          length = zones->column[TD_ZONE_DURATION][i];
            const uint64_t location = (uint64_t)zones->column[TD_ZONE_SRCLOC][i];
            if (length <= 0 || location >= locations || !wanted[location] || start < range->from_ns ||
                td_wrap_add(start, length) > range->to_ns)
                continue;
            count_length(bins, side, length);
        }
    }
}

/* Reads only the tracks that have zones of these locations. */
static int count_lengths(const struct td_comparison *c, int side, const struct td_compare_entry *entry,
                         struct td_length_bins *bins, struct td_job *job)
{
    const struct td_trace *trace = c->trace[side];
    const struct td_dict *dict = td_trace_dict(trace);
    const struct td_sums *sums = &c->sums[side];
    uint32_t locations = td_dict_srcloc_count(dict);
    uint8_t *wanted = calloc((size_t)locations + 1, 1), *tracks = calloc((size_t)sums->tracks + 1, 1);
    struct td_zones *zones = malloc(sizeof *zones);
    int rc = wanted && tracks && zones ? 0 : TD_E_NOMEM;
    for (uint32_t s = 0; rc == 0 && s < locations; s++)
        wanted[s] = is_of_entry(dict, s, entry);
    for (size_t i = 0; rc == 0 && i < sums->count; i++)
        tracks[sums->sum[i].track] |= wanted[sums->sum[i].srcloc];
    /* The table leaves out the tracks of GPU contexts, and so do the lengths. */
    for (uint32_t t = 0; rc == 0 && t < sums->tracks; t++)
        for (uint32_t r = 0; tracks[t] && !td_dict_get_track(dict, t)->context && r < td_trace_rows(trace, t);
             r++)
            count_row(trace, &c->range[side], t, r, wanted, locations, side, bins, zones, job);
    free(wanted);
    free(tracks);
    free(zones);
    return rc;
}

int td_comparison_lengths(const struct td_comparison *c, const struct td_compare_entry *entry,
                          struct td_length_bins *bins, struct td_job *job)
{
    int rc = 0;
    *bins = (struct td_length_bins){0};
    for (int s = 0; s < 2; s++)
        if (entry->side[s].timed)
            extend_bins(bins, (double)entry->side[s].min_ns, (double)entry->side[s].max_ns);
    for (int s = 0; rc == 0 && s < 2 && bins->low_ns > 0; s++)
        rc = count_lengths(c, s, entry, bins, job);
    return rc == 0 && job && td_job_cancelled(job) ? TD_E_STOPPED : rc;
}

/* ---- frames ---- */

/* The set of that name; UINT32_MAX: none. The base set is the same in all traces. */
static uint32_t find_frame_set(const struct td_dict *dict, const char *name)
{
    uint32_t sets = td_dict_frame_set_count(dict);
    for (uint32_t s = 1; s < sets; s++)
        if (!strcmp(td_dict_text(dict, td_dict_get_frame_set(dict, s, NULL)), name))
            return s;
    return UINT32_MAX;
}

/* The statistics leave out the base set's first frame and those that have not ended, and so do the lengths. */
static void count_frames(struct td_length_bins *bins, int side, const struct td_trace *trace,
                         const struct td_compare_range *range, uint32_t set)
{
    for (size_t i = set ? 0 : 1; i < td_trace_frames(trace, set); i++) {
        const struct td_frame frame = td_trace_frame(trace, set, i);
        if (frame.end_ns != TD_OPEN && frame.end_ns >= frame.start_ns && frame.start_ns >= range->from_ns &&
            frame.end_ns <= range->to_ns)
            count_length(bins, side, frame.end_ns > frame.start_ns ? frame.end_ns - frame.start_ns : 1);
    }
}

int td_comparison_frames(const struct td_comparison *c, uint32_t set, struct td_compared_frames *frames,
                         struct td_job *job)
{
    const struct td_dict *dict = td_trace_dict(c->trace[1]);
    const char *name = td_dict_text(dict, td_dict_get_frame_set(dict, set, NULL));
    const uint32_t sets[2] = {set ? find_frame_set(td_trace_dict(c->trace[0]), name) : 0, set};
    int rc = 0;
    *frames = (struct td_compared_frames){.set = set};
    for (int s = 0; rc == 0 && s < 2; s++) {
        struct td_frame_times *times = &frames->times[s];
        if (sets[s] != UINT32_MAX)
            rc = td_frame_times_make_within(times, c->trace[s], sets[s], c->range[s].from_ns,
                                            c->range[s].to_ns, 0, job);
        if (rc == 0 && times->count)
            extend_bins(&frames->bins, fmax((double)times->min_ns, 1), fmax((double)times->max_ns, 1));
    }
    for (int s = 0; rc == 0 && s < 2; s++)
        if (frames->times[s].count)
            count_frames(&frames->bins, s, c->trace[s], &c->range[s], sets[s]);
    if (rc < 0)
        td_compared_frames_free(frames);
    return rc;
}

void td_compared_frames_free(struct td_compared_frames *frames)
{
    td_frame_times_free(&frames->times[0]);
    td_frame_times_free(&frames->times[1]);
    *frames = (struct td_compared_frames){0};
}
