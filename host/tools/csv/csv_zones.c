/* Tables of every zone: -u, -g and --truncated_mean. */
#include "host/base/compare.h"
#include "host/base/parallel.h"
#include "host/base/wrap.h"
#include "host/tools/csv/csv_gather.h"
#include "host/tools/csv/csv_own.h"
#include "host/tools/files/stock_order.h"
#include "host/trace/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SLICE           16384u /* rows that a thread formats at a time */
#define SLICES_A_THREAD 4u

struct csv_table {
    struct csv *csv;
    void (*row)(const struct csv *c, struct csv_out *out, uint32_t srcloc, const struct csv_item *item);
    /* Slices of the present location. */
    uint32_t srcloc;
    const struct csv_item *items;
    size_t count;
    struct csv_out *slices;
    size_t slice_count;
};

static uint32_t thread_number(const struct csv *c, uint32_t track)
{
    uint32_t number = td_dict_get_track(c->dict, track)->file_number;
    return number ? number : track + 1;
}

static void put_separator(const struct csv *c, struct csv_out *out)
{
    csv_out_text(out, c->separator);
}

static void zone_row(const struct csv *c, struct csv_out *out, uint32_t srcloc, const struct csv_item *item)
{
    csv_location(c, out, srcloc);
    if (c->style->fork) {
        put_separator(c, out);
        csv_out_text(out, td_dict_text(c->dict, item->name));
        put_separator(c, out);
        if (item->text) {
            csv_out_bytes(out, "\"", 1);
            csv_out_text(out, td_dict_text(c->dict, item->text));
            csv_out_bytes(out, "\"", 1);
        }
    }
    put_separator(c, out);
    csv_out_i64(out, item->start_ns);
    put_separator(c, out);
    csv_out_i64(out, item->time_ns);
    if (c->style->thread) {
        put_separator(c, out);
        csv_out_u64(out, thread_number(c, item->track));
    }
    if (c->style->fork || c->style->value) {
        put_separator(c, out);
        csv_out_text(out, td_dict_text(c->dict, c->style->fork ? item->special : item->text));
    }
    csv_out_bytes(out, "\n", 1);
}

static void gpu_row(const struct csv *c, struct csv_out *out, uint32_t srcloc, const struct csv_item *item)
{
    csv_out_text(out, td_dict_zone_name(c->dict, srcloc));
    put_separator(c, out);
    csv_out_text(out, td_dict_text(c->dict, td_dict_get_srcloc(c->dict, srcloc)->file));
    put_separator(c, out);
    csv_out_i64(out, item->start_ns);
    put_separator(c, out);
    csv_out_i64(out, item->time_ns);
    csv_out_bytes(out, "\n", 1);
}

static int format_slice(void *self, size_t number, unsigned worker)
{
    const struct csv_table *t = self;
    struct csv_out *out = &t->slices[number % t->slice_count];
    size_t end = (number + 1) * SLICE < t->count ? (number + 1) * SLICE : t->count;
    out->used = 0;
    for (size_t i = number * SLICE; i < end; i++)
        t->row(t->csv, out, t->srcloc, &t->items[i]);
    return out->failed ? TD_E_NOMEM : 0;
}

/* The slices that threads format in parallel, before they are written in order. */
struct csv_window {
    struct csv_table *table;
    size_t first;
};

static int format_in_window(void *self, size_t item, unsigned worker)
{
    const struct csv_window *w = self;
    return format_slice(w->table, w->first + item, worker);
}

static int print_rows(struct csv_table *t, struct td_err *err)
{
    size_t slices = (t->count + SLICE - 1) / SLICE;
    for (size_t first = 0; first < slices; first += t->slice_count) {
        size_t n = slices - first < t->slice_count ? slices - first : t->slice_count;
        struct csv_window window = {t, first};
        if (td_parallel(n > 1 ? t->csv->threads : 1, n, format_in_window, &window) < 0)
            return td_fail_no_memory(err, "for rows of the table");
        for (size_t i = 0; i < n; i++) {
            const struct csv_out *slice = &t->slices[(first + i) % t->slice_count];
            csv_out_bytes(&t->csv->out, slice->data, slice->used);
            csv_out_flush_if_full(&t->csv->out);
        }
        if (t->csv->out.failed)
            return 0; /* csv_out_result() reports it */
    }
    return 0;
}

/* As in stock csvexport, a zone without a text gets the text of the previous zone of its location. */
static void carry_texts(struct csv_item *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        items[i].text = items[i].text ? items[i].text : items[i - 1].text;
        items[i].name = items[i].name ? items[i].name : items[i - 1].name;
        items[i].special = items[i].special ? items[i].special : items[i - 1].special;
    }
}

static int take_zones(void *self, uint32_t srcloc, struct csv_item *items, size_t count, struct td_err *err)
{
    struct csv_table *t = self;
    t->srcloc = srcloc;
    t->items = items;
    t->count = count;
    carry_texts(items, count);
    return print_rows(t, err);
}

static int print_all_zones(struct csv_table *t, const struct csv_gather *gather, struct td_err *err)
{
    t->slice_count = (size_t)td_parallel_threads(t->csv->threads) * SLICES_A_THREAD;
    t->slices = calloc(t->slice_count, sizeof *t->slices);
    if (!t->slices)
        return td_fail_no_memory(err, "for rows of the table");
    for (size_t i = 0; i < t->slice_count; i++)
        t->slices[i].fd = -1;
    int rc = csv_gather(gather, take_zones, t, err);
    for (size_t i = 0; i < t->slice_count; i++)
        csv_out_free(&t->slices[i]);
    free(t->slices);
    return rc;
}

/* Tracks of threads, in the order of the trace. */
static uint32_t *find_threads(const struct csv *c, size_t *count)
{
    uint32_t all = td_dict_track_count(c->dict), *tracks = malloc((all + 1) * sizeof *tracks);
    *count = 0;
    for (uint32_t t = 0; tracks && t < all; t++)
        if (!td_dict_get_track(c->dict, t)->context)
            tracks[(*count)++] = t;
    return tracks;
}

static int print_own_zones(struct csv *c, struct td_err *err)
{
    struct csv_own own;
    const int rc = csv_find_own(c, &own);
    for (size_t i = 0; i < own.count && rc == 0; i++) {
        const struct td_own_zone *z = &own.zones[i];
        const struct csv_item item = {z->start_ns, c->self ? z->self_ns : z->length_ns, z->text, z->name, 0,
                                      z->track};
        c->own_name = csv_own_name(c, z);
        zone_row(c, &c->out, z->srcloc, &item);
        csv_out_flush_if_full(&c->out);
    }
    c->own_name = NULL;
    free(own.zones);
    return rc < 0 ? td_fail_no_memory(err, NULL) : 0;
}

int csv_zones(struct csv *c, const struct csv_locations *locations, struct td_err *err)
{
    static const char *const columns[][10] = {
        {"name", "src_file", "src_line", "ns_since_start", "exec_time_ns", NULL},
        {"name", "src_file", "src_line", "ns_since_start", "exec_time_ns", "thread", NULL},
        {"name", "src_file", "src_line", "ns_since_start", "exec_time_ns", "thread", "value", NULL},
        {"name", "src_file", "src_line", "zone_name", "zone_text", "ns_since_start", "exec_time_ns", "thread",
         "special_parent_text", NULL},
    };
    struct csv_table table = {.csv = c, .row = zone_row};
    struct csv_gather gather = {.csv = c, .locations = locations};
    uint32_t *tracks = find_threads(c, &gather.track_count);
    if (!tracks)
        return td_fail_no_memory(err, NULL);
    gather.tracks = tracks;
    csv_header(c, columns[c->style->fork ? 3 : c->style->thread + c->style->value]);
    int rc = print_all_zones(&table, &gather, err);
    free(tracks);
    return rc < 0 ? rc : print_own_zones(c, err);
}

/* ---- -g ---- */

struct gpu_tracks {
    uint32_t *tracks; /* sorted by context; within a context, in stock csvexport's order */
    size_t count;
};

/* Appends all lines of a thread. */
static void list_lines(const struct csv *c, uint32_t first, const uint32_t *candidates,
                       size_t candidate_count, struct gpu_tracks *g)
{
    const struct td_track *thread = td_dict_get_track(c->dict, first);
    for (size_t i = 0; i < candidate_count; i++) {
        const struct td_track *line = td_dict_get_track(c->dict, candidates[i]);
        if (line->context == thread->context && line->thread == thread->thread)
            g->tracks[g->count++] = candidates[i];
    }
}

/* Appends the tracks of the context. Stock csvexport has these in a hash table by thread. */
static int add_context(const struct csv *c, uint32_t context, const uint32_t *candidates,
                       size_t candidate_count, struct gpu_tracks *g)
{
    uint64_t *keys = malloc((candidate_count + 1) * sizeof *keys);
    size_t *order = malloc((candidate_count + 1) * sizeof *order), listed = SIZE_MAX;
    uint32_t *own = malloc((candidate_count + 1) * sizeof *own);
    size_t count = 0;
    for (size_t i = 0; keys && order && own && i < candidate_count; i++) {
        const struct td_track *track = td_dict_get_track(c->dict, candidates[i]);
        if (track->context != context || track->line)
            continue;
        keys[count] = track->thread;
        own[count++] = candidates[i];
    }
    if (keys && order && own)
        listed = stock_order(keys, count, 0, order);
    for (size_t i = 0; listed != SIZE_MAX && i < listed; i++)
        list_lines(c, own[order[i]], candidates, candidate_count, g);
    free(keys);
    free(order);
    free(own);
    return listed == SIZE_MAX ? TD_E_NOMEM : 0;
}

static int find_gpu_tracks(const struct csv *c, struct gpu_tracks *g)
{
    uint32_t all = td_dict_track_count(c->dict), contexts = 0;
    uint32_t *candidates = malloc((all + 1) * sizeof *candidates);
    size_t count = 0;
    int rc = candidates ? 0 : TD_E_NOMEM;
    *g = (struct gpu_tracks){malloc((all + 1) * sizeof *g->tracks), 0};
    for (uint32_t t = 0; candidates && t < all; t++) {
        uint32_t context = td_dict_get_track(c->dict, t)->context;
        if (!context)
            continue;
        candidates[count++] = t;
        contexts = context > contexts ? context : contexts;
    }
    if (!g->tracks)
        rc = TD_E_NOMEM;
    for (uint32_t context = 1; context <= contexts && rc == 0; context++)
        rc = add_context(c, context, candidates, count, g);
    free(candidates);
    return rc;
}

int csv_gpu_zones(struct csv *c, const struct csv_locations *locations, struct td_err *err)
{
    static const char *const columns[] = {"name", "src_file", "Time from start of program",
                                          "GPU execution time", NULL};
    struct csv_table table = {.csv = c, .row = gpu_row};
    struct gpu_tracks g;
    int rc = find_gpu_tracks(c, &g);
    if (rc < 0) {
        td_fail_no_memory(err, NULL);
    } else {
        csv_header(c, columns);
        struct csv_gather gather = {
            .csv = c, .locations = locations, .tracks = g.tracks, .track_count = g.count};
        rc = print_all_zones(&table, &gather, err);
    }
    free(g.tracks);
    return rc;
}

/* ---- truncated means ---- */

struct means {
    double part;
    int64_t *results;
    size_t done;
};

TD_COMPARE(by_time, struct csv_item, TD_UP(time_ns))

static int take_means(void *self, uint32_t srcloc, struct csv_item *items, size_t count, struct td_err *err)
{
    struct means *m = self;
    int64_t *result = &m->results[2 * m->done++];
    if (!count)
        return 0;
    qsort(items, count, sizeof *items, by_time);
    double place = m->part * ((double)count - 1);
    size_t low = (size_t)floor(place), high = low + 1 < count ? low + 1 : count - 1;
    double below = (double)items[low].time_ns, above = (double)items[high].time_ns;
    double limit = below + (above - below) * (place - (double)low);
    int64_t sum = 0;
    uint64_t n = 0;
    for (; n < count && (double)items[n].time_ns <= limit; n++)
        sum = td_wrap_add(sum, items[n].time_ns);
    result[0] = (int64_t)llround(limit);
    result[1] = n ? (int64_t)((uint64_t)sum / n) : 0;
    return 0;
}

int csv_truncated_means(struct csv *c, const struct csv_locations *locations, int64_t *results,
                        struct td_err *err)
{
    struct means means = {.part = (double)c->percentile / 100, .results = results};
    struct csv_gather gather = {.csv = c, .locations = locations};
    uint32_t *tracks = find_threads(c, &gather.track_count);
    if (!tracks)
        return td_fail_no_memory(err, NULL);
    gather.tracks = tracks;
    int rc = csv_gather(&gather, take_means, &means, err);
    free(tracks);
    return rc;
}
