#include "host/viewer/analysis/comparison.h"
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

static int by_name_and_track(const void *a, const void *b)
{
    const struct named_track *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : x->track < y->track ? -1 : x->track > y->track;
}

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

/* ---- frames ---- */

static const char *frame_set_name(const struct td_dict *dict, uint32_t set)
{
    return td_dict_text(dict, td_dict_get_frame_set(dict, set, NULL));
}

static int by_length(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int add_frames(struct td_comparison_frames *frames, int side, const struct td_trace *trace,
                      uint32_t set)
{
    size_t all = td_trace_frames(trace, set), count = 0;
    int64_t *lengths = malloc((all + 1) * sizeof *lengths);
    double sum = 0;
    for (size_t i = 0; lengths && i < all; i++) {
        struct td_frame frame = td_trace_frame(trace, set, i);
        if (frame.end_ns == TD_OPEN || frame.end_ns < frame.start_ns)
            continue;
        lengths[count++] = frame.end_ns - frame.start_ns;
        sum += (double)lengths[count - 1];
    }
    if (lengths)
        qsort(lengths, count, sizeof *lengths, by_length);
    frames->count[side] = count;
    if (lengths && count) {
        frames->mean_ns[side] = sum / (double)count;
        frames->median_ns[side] = (double)lengths[count / 2];
        frames->most_ns[side] = (double)lengths[count - 1];
    }
    free(lengths);
    return lengths ? 0 : TD_E_NOMEM;
}

static int compare_frames(struct td_comparison *c)
{
    const struct td_dict *dict = td_trace_dict(c->trace[1]), *other = td_trace_dict(c->trace[0]);
    uint32_t best = 0;
    for (uint32_t s = 1; s < td_dict_frame_set_count(dict); s++)
        if (td_trace_frames(c->trace[1], s) > td_trace_frames(c->trace[1], best))
            best = s;
    if (!td_trace_frames(c->trace[1], best))
        return 0;
    c->frames.name = frame_set_name(dict, best);
    int rc = add_frames(&c->frames, 1, c->trace[1], best);
    for (uint32_t s = 0; rc == 0 && s < td_dict_frame_set_count(other); s++)
        if (!strcmp(frame_set_name(other, s), c->frames.name))
            return add_frames(&c->frames, 0, c->trace[0], s);
    return rc;
}

/* ---- the comparison ---- */

int td_comparison_make(struct td_comparison *c, const struct td_trace *other, const struct td_trace *present,
                       struct td_job *job, struct td_err *err)
{
    *c = (struct td_comparison){.trace = {other, present}};
    int rc = 0;
    for (int s = 0; rc == 0 && s < 2; s++) {
        if (!td_trace_is_finished(c->trace[s]))
            return td_fail(err, TD_E_USAGE, "a trace that still grows cannot be compared");
        rc = td_compare_table_add(&c->table, c->trace[s], s, err);
        if (rc == 0)
            rc = td_sums_make(&c->sums[s], c->trace[s], INT64_MIN, INT64_MAX, INT64_MAX, NULL, job);
        if (job && td_job_cancelled(job))
            rc = TD_E_STOPPED;
    }
    if (rc == 0)
        rc = pair_tracks(c);
    if (rc == 0)
        rc = compare_frames(c);
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

static int bin_of(const struct td_length_bins *bins, int64_t length)
{
    double ratio = log(bins->high_ns / bins->low_ns);
    int bin = ratio > 0 ? (int)(log((double)length / bins->low_ns) / ratio * TD_LENGTH_BINS) : 0;
    return bin < 0 ? 0 : bin >= TD_LENGTH_BINS ? TD_LENGTH_BINS - 1 : bin;
}

static void count_row(const struct td_trace *trace, uint32_t track, uint32_t row, const uint8_t *wanted,
                      uint32_t locations, int side, struct td_length_bins *bins, struct td_zones *zones,
                      const struct td_job *job)
{
    const unsigned columns = 1u << TD_ZONE_DURATION | 1u << TD_ZONE_SRCLOC;
    for (uint64_t first = 0; td_trace_zones_read(trace, track, row, first, columns, zones);
         first = zones->first + zones->count) {
        if (job && td_job_cancelled(job))
            return;
        for (uint32_t i = 0; i < zones->count; i++) {
            const int64_t length = zones->column[TD_ZONE_DURATION][i];
            const uint64_t location = (uint64_t)zones->column[TD_ZONE_SRCLOC][i];
            if (length <= 0 || location >= locations || !wanted[location])
                continue;
            bins->count[side][bin_of(bins, length)]++;
            bins->all[side]++;
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
            count_row(trace, t, r, wanted, locations, side, bins, zones, job);
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
        if (entry->side[s].timed) {
            double low = (double)entry->side[s].min_ns, high = (double)entry->side[s].max_ns;
            bins->low_ns = bins->low_ns > 0 ? fmin(bins->low_ns, low) : low;
            bins->high_ns = fmax(bins->high_ns, high);
        }
    bins->high_ns = fmax(bins->high_ns, bins->low_ns * 1.01);
    for (int s = 0; rc == 0 && s < 2 && bins->low_ns > 0; s++)
        rc = count_lengths(c, s, entry, bins, job);
    return rc == 0 && job && td_job_cancelled(job) ? TD_E_STOPPED : rc;
}
