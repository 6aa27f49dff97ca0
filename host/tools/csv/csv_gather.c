#include "host/tools/csv/csv_gather.h"
#include "host/base/grow.h"
#include "host/base/parallel.h"
#include "host/trace/fill.h"
#include "host/trace/gpu_order.h"
#include "host/trace/self_time.h"
#include "host/trace/tables.h"
#include "host/trace/walk.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK   TD_SERIES_ROWS
#define MANY    (6u << 20) /* limit of items of several locations in memory */
#define FEW     (1u << 18) /* the same with little memory */
#define NOWHERE UINT64_MAX

/* Zones of one location in one track. */
struct share {
    uint32_t srcloc;
    uint64_t count, at; /* at: index of its first item in the present group */
};

struct track_shares {
    struct share *shares;
    size_t count, capacity;
};

struct csv_worker {
    uint64_t *place; /* by location: the index of its next item, or a count */
    struct csv_item *merge;
    size_t merge_capacity;
};

struct gathering {
    const struct csv_gather *g;
    struct track_shares *tracks; /* by index in g->tracks */
    struct csv_worker *workers;
    unsigned worker_count;
    uint8_t *wanted; /* by location: it is in the list */
    size_t location_count;
    /* The present group. */
    uint8_t *in_group;
    struct csv_item *items;
    size_t item_capacity;
};

static const struct td_track *track_of(const struct gathering *s, size_t item)
{
    return td_dict_get_track(s->g->csv->dict, s->g->tracks[item]);
}

/* The track is another line of the same thread of a GPU context as the one before it in the list. */
static bool is_further_line(const struct gathering *s, size_t item)
{
    if (!item || item >= s->g->track_count)
        return false;
    const struct td_track *t = track_of(s, item), *before = track_of(s, item - 1);
    return t->context && t->context == before->context && t->thread == before->thread;
}

/* ---- counting ---- */

static void count_row(const struct gathering *s, uint32_t track, uint32_t row, uint64_t *counts)
{
    const bool gpu = td_dict_get_track(s->g->csv->dict, track)->context != 0;
    const unsigned columns = 1u << TD_ZONE_SRCLOC | 1u << TD_ZONE_DURATION | (gpu ? 1u << TD_ZONE_QUERY : 0u);
    const struct td_trace *trace = s->g->csv->trace;
    struct td_zones zones;
    uint64_t n;
    for (uint64_t at = 0; (n = td_trace_zones_read(trace, track, row, at, columns, &zones)) != 0; at += n)
        for (uint64_t i = 0; i < n; i++)
            counts[zones.column[TD_ZONE_SRCLOC][i]] +=
                zones.column[TD_ZONE_DURATION][i] > 0 &&
                !(gpu && zones.column[TD_ZONE_QUERY][i] & (TD_ZONE_NO_START | TD_ZONE_NO_END));
}

static int count_track(void *self, size_t item, unsigned worker)
{
    struct gathering *s = self;
    struct track_shares *t = &s->tracks[item];
    uint64_t *counts = s->workers[worker].place;
    uint32_t track = s->g->tracks[item], rows = td_trace_rows(s->g->csv->trace, track);
    memset(counts, 0, s->location_count * sizeof *counts);
    for (uint32_t r = 0; r < rows; r++)
        count_row(s, track, r, counts);
    for (size_t l = 0; rows && l < s->location_count; l++) {
        if (!counts[l] || !s->wanted[l])
            continue;
        if (TD_APPEND(t->shares, t->count, t->capacity, (struct share){(uint32_t)l, counts[l], 0}) < 0)
            return TD_E_NOMEM;
    }
    return 0;
}

/* ---- texts and self times of items ---- */

/* The name is in the list, which is separated by commas. */
static bool is_listed(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = list;; p += strcspn(p, ",") + 1) {
        size_t bytes = strcspn(p, ",");
        if (bytes == n && !memcmp(p, name, n))
            return true;
        if (!p[bytes])
            return false;
    }
}

/* For each zone of the row, the text of its nearest ancestor whose name contains --special-parent. `above`:
 * the result for the row above. NULL: out of memory. */
static uint32_t *texts_around(const struct gathering *s, uint32_t track, uint32_t row, const uint32_t *above)
{
    const unsigned columns = 1u << TD_ZONE_SRCLOC | 1u << TD_ZONE_EXTRA | 1u << TD_ZONE_CHILD_END;
    const struct csv *c = s->g->csv;
    uint64_t zones = td_trace_row_zones(c->trace, track, row), child = 0, n;
    uint32_t *texts = calloc(zones + 1, sizeof *texts);
    struct td_zones parents;
    for (uint64_t at = 0; texts && above; at += n) {
        n = td_trace_zones_read(c->trace, track, row - 1, at, columns, &parents);
        if (!n)
            break;
        for (uint64_t i = 0; i < n; i++) {
            uint32_t srcloc = (uint32_t)parents.column[TD_ZONE_SRCLOC][i], text = above[at + i];
            uint64_t end = (uint64_t)parents.column[TD_ZONE_CHILD_END][i];
            struct td_zone parent = {0};
            if (child < end && strstr(td_dict_zone_name(c->dict, srcloc), c->special_parent)) {
                td_trace_zone_extra(c->trace, parents.column[TD_ZONE_EXTRA][i], &parent);
                text = parent.text;
            }
            for (; child < end && child < zones; child++)
                texts[child] = text;
        }
    }
    return texts;
}

static void add_texts(const struct gathering *s, struct csv_item *item, int64_t extra)
{
    struct td_zone zone = {0};
    td_trace_zone_extra(s->g->csv->trace, extra, &zone);
    item->text = zone.text;
    item->name = zone.name;
}

static int64_t time_of_children(const struct td_series *below, uint64_t begin, uint64_t end)
{
    int64_t durations[BLOCK];
    uint64_t total = 0;
    for (uint64_t i = begin; below && i < end; i += BLOCK) {
        uint64_t n = end - i < BLOCK ? end - i : BLOCK;
        td_series_read(below, TD_ZONE_DURATION, i, n, durations);
        for (uint64_t k = 0; k < n; k++)
            total += durations[k] > 0 ? (uint64_t)durations[k] : 0;
    }
    return (int64_t)total;
}

/* ---- filling ---- */

/* Columns of a block of zones. */
struct block {
    int64_t start[BLOCK], duration[BLOCK], srcloc[BLOCK], extra[BLOCK], child_end[BLOCK];
};

static void fill_block(const struct gathering *s, uint32_t track, uint32_t r, uint64_t first, uint64_t n,
                       const struct block *b, const uint32_t *around, uint64_t *child_begin, uint64_t *place)
{
    const struct csv *c = s->g->csv;
    const struct td_series *below = c->self ? td_trace_row(c->trace, track, r + 1) : NULL;
    for (uint64_t k = 0; k < n; k++) {
        uint64_t *at = &place[b->srcloc[k]];
        if (b->duration[k] > 0 && *at != NOWHERE) {
            struct csv_item *item = &s->items[(*at)++];
            *item = (struct csv_item){.start_ns = b->start[k], .time_ns = b->duration[k], .track = track};
            if (b->extra[k])
                add_texts(s, item, b->extra[k]);
            if (c->self)
                item->time_ns = td_self_time(
                    item->time_ns, time_of_children(below, *child_begin, (uint64_t)b->child_end[k]));
            if (around && is_listed(c->special, td_dict_zone_name(c->dict, (uint32_t)b->srcloc[k])))
                item->special = around[first + k];
        }
        *child_begin = (uint64_t)b->child_end[k];
    }
}

static int fill_by_rows(const struct gathering *s, uint32_t track, struct block *b, uint64_t *place)
{
    uint32_t *around = NULL;
    for (uint32_t r = 0; r < td_trace_rows(s->g->csv->trace, track); r++) {
        if (s->g->csv->special) {
            uint32_t *above = around;
            around = texts_around(s, track, r, above);
            free(above);
            if (!around)
                return TD_E_NOMEM;
        }
        const struct td_series *row = td_trace_row(s->g->csv->trace, track, r);
        uint64_t zones = td_series_count(row), child_begin = 0;
        for (uint64_t i = 0; i < zones; i += BLOCK) {
            uint64_t n = zones - i < BLOCK ? zones - i : BLOCK;
            td_series_read(row, TD_ZONE_START, i, n, b->start);
            td_series_read(row, TD_ZONE_DURATION, i, n, b->duration);
            td_series_read(row, TD_ZONE_SRCLOC, i, n, b->srcloc);
            td_series_read(row, TD_ZONE_EXTRA, i, n, b->extra);
            td_series_read(row, TD_ZONE_CHILD_END, i, n, b->child_end);
            fill_block(s, track, r, i, n, b, around, &child_begin, place);
        }
    }
    free(around);
    return 0;
}

/* A zone of a GPU context whose start or end was not reported has a length only so that it can be drawn. */
static bool is_timed(const struct td_series *row, uint64_t index)
{
    return td_series_get(row, index, TD_ZONE_DURATION) > 0 &&
           !(td_series_get(row, index, TD_ZONE_QUERY) & (TD_ZONE_NO_START | TD_ZONE_NO_END));
}

/* Lists the zones of a thread of a GPU context, which may begin in any order, parents before children. `item` is
 * the first of the thread's lines. */
static int fill_in_order(const struct gathering *s, size_t item, uint64_t *place)
{
    struct td_gpu_order order;
    struct td_gpu_step step;
    int rc = 0;
    td_gpu_order_begin(&order, s->g->csv->trace);
    for (size_t i = item; rc == 0 && (i == item || is_further_line(s, i)); i++)
        rc = td_gpu_order_add(&order, s->g->tracks[i]);
    while (rc >= 0 && (rc = td_gpu_order_next(&order, &step)) > 0) {
        const struct td_series *row = td_trace_row(s->g->csv->trace, step.track, step.row);
        uint64_t *at = &place[td_series_get(row, step.index, TD_ZONE_SRCLOC)];
        if (*at == NOWHERE || !is_timed(row, step.index))
            continue;
        s->items[(*at)++] = (struct csv_item){.start_ns = td_series_get(row, step.index, TD_ZONE_START),
                                              .time_ns = td_series_get(row, step.index, TD_ZONE_DURATION),
                                              .track = step.track};
    }
    td_gpu_order_end(&order);
    return rc;
}

/* The end of the run of items, from `from` on, that are in the order of their start. */
static size_t run_end(const struct csv_item *items, size_t from, size_t count)
{
    size_t i = from + 1;
    while (i < count && items[i].start_ns >= items[i - 1].start_ns)
        i++;
    return i < count ? i : count;
}

static void merge_runs(const struct csv_item *a, size_t a_count, const struct csv_item *b, size_t b_count,
                       struct csv_item *to)
{
    while (a_count && b_count) {
        if (b->start_ns < a->start_ns) {
            *to++ = *b++;
            b_count--;
        } else {
            *to++ = *a++;
            a_count--;
        }
    }
    memcpy(to, a, a_count * sizeof *a);
    memcpy(to + a_count, b, b_count * sizeof *b);
}

/* Sorts items, which come row by row, by start. Zones longer than 0 then have parents before children. Merges
 * runs, which keeps the order of equal starts. */
static int sort_items(struct csv_item *items, size_t count, struct csv_worker *w)
{
    while (run_end(items, 0, count) < count) {
        if (td_grow(&w->merge, &w->merge_capacity, count, sizeof *w->merge) < 0)
            return TD_E_NOMEM;
        for (size_t i = 0; i < count;) {
            size_t middle = run_end(items, i, count),
                   end = middle < count ? run_end(items, middle, count) : count;
            merge_runs(items + i, middle - i, items + middle, end - middle, w->merge + i);
            i = end;
        }
        memcpy(items, w->merge, count * sizeof *items);
    }
    return 0;
}

/* Sets where the zones of each location begin, if no line before has any. */
static int set_places(const struct gathering *s, size_t item, uint64_t *place)
{
    const struct track_shares *t = &s->tracks[item];
    int any = 0;
    for (size_t i = 0; i < t->count; i++) {
        const struct share *share = &t->shares[i];
        if (!s->in_group[share->srcloc])
            continue;
        place[share->srcloc] = place[share->srcloc] == NOWHERE ? share->at : place[share->srcloc];
        any = 1;
    }
    return any;
}

static int fill_track(void *self, size_t item, unsigned worker)
{
    struct gathering *s = self;
    struct csv_worker *w = &s->workers[worker];
    const struct track_shares *t = &s->tracks[item];
    int any = 0, rc;
    if (is_further_line(s, item))
        return 0;
    for (size_t l = 0; l < s->location_count; l++)
        w->place[l] = NOWHERE;
    any = set_places(s, item, w->place);
    for (size_t i = item + 1; is_further_line(s, i); i++)
        any |= set_places(s, i, w->place);
    if (!any)
        return 0;
    if (track_of(s, item)->context)
        return fill_in_order(s, item, w->place);
    struct block *block = malloc(sizeof *block);
    if (!block)
        return TD_E_NOMEM;
    rc = fill_by_rows(s, s->g->tracks[item], block, w->place);
    free(block);
    for (size_t i = 0; i < t->count && rc == 0; i++)
        if (s->in_group[t->shares[i].srcloc])
            rc = sort_items(s->items + t->shares[i].at, t->shares[i].count, w);
    return rc;
}

/* ---- groups of locations ---- */

/* Items may take half of the trace's limit of memory. */
static uint64_t item_limit(const struct csv *c)
{
    uint64_t limit = c->memory_bytes / 2 / sizeof(struct csv_item);
    return c->memory_bytes == 0 || limit > MANY ? MANY : limit < FEW ? FEW : limit;
}

/* Chooses the group of locations that begins with number `first`, and the places of their items. begins[i -
 * first] is the index of the first item of location i; one more entry is the end of all. Returns the group's
 * end. */
static size_t plan_group(struct gathering *s, const uint64_t *totals, size_t first, uint64_t *begins)
{
    const struct csv_locations *l = s->g->locations;
    uint64_t all = 0, *place = s->workers[0].place;
    const uint64_t limit = item_limit(s->g->csv);
    size_t end = first;
    memset(s->in_group, 0, s->location_count);
    for (; end < l->count && (end == first || all + totals[end] <= limit); end++) {
        s->in_group[l->srclocs[end]] = 1;
        place[l->srclocs[end]] = begins[end - first] = all;
        all += totals[end];
    }
    begins[end - first] = all;
    for (size_t t = 0; t < s->g->track_count; t++)
        for (size_t i = 0; i < s->tracks[t].count; i++) {
            struct share *share = &s->tracks[t].shares[i];
            if (!s->in_group[share->srcloc])
                continue;
            share->at = place[share->srcloc];
            place[share->srcloc] += share->count;
        }
    return end;
}

static int run_groups(struct gathering *s, const uint64_t *totals, uint64_t *begins,
                      int (*take)(void *self, uint32_t srcloc, struct csv_item *items, size_t count,
                                  struct td_err *err),
                      void *self, struct td_err *err)
{
    const struct csv_locations *l = s->g->locations;
    for (size_t first = 0, end; first < l->count; first = end) {
        end = plan_group(s, totals, first, begins);
        size_t all = (size_t)begins[end - first];
        if (td_grow(&s->items, &s->item_capacity, all + 1, sizeof *s->items) < 0 ||
            td_parallel(s->worker_count, s->g->track_count, fill_track, s) < 0)
            return td_fail_no_memory(err, "for a list of zones");
        for (size_t i = 0; i < end - first; i++) {
            size_t count = (size_t)(begins[i + 1] - begins[i]);
            int rc = take(self, l->srclocs[first + i], s->items + begins[i], count, err);
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

static int prepare_gathering(struct gathering *s, uint64_t **totals, uint64_t **begins)
{
    const struct csv_gather *g = s->g;
    s->location_count = td_dict_srcloc_count(g->csv->dict);
    s->worker_count = td_parallel_threads(g->csv->threads);
    s->tracks = calloc(g->track_count + 1, sizeof *s->tracks);
    s->workers = calloc(s->worker_count, sizeof *s->workers);
    s->wanted = calloc(s->location_count, 1);
    s->in_group = calloc(s->location_count, 1);
    *totals = calloc(g->locations->count + 1, sizeof **totals);
    *begins = calloc(g->locations->count + 1, sizeof **begins);
    if (!s->tracks || !s->workers || !s->wanted || !s->in_group || !*totals || !*begins)
        return TD_E_NOMEM;
    for (unsigned w = 0; w < s->worker_count; w++)
        if (!(s->workers[w].place = malloc(s->location_count * sizeof *s->workers[w].place)))
            return TD_E_NOMEM;
    for (size_t i = 0; i < g->locations->count; i++)
        s->wanted[g->locations->srclocs[i]] = 1;
    return td_parallel(s->worker_count, g->track_count, count_track, s);
}

static void sum_up(const struct gathering *s, uint64_t *totals)
{
    uint64_t *by_location = s->workers[0].place;
    memset(by_location, 0, s->location_count * sizeof *by_location);
    for (size_t t = 0; t < s->g->track_count; t++)
        for (size_t i = 0; i < s->tracks[t].count; i++)
            by_location[s->tracks[t].shares[i].srcloc] += s->tracks[t].shares[i].count;
    for (size_t i = 0; i < s->g->locations->count; i++)
        totals[i] = by_location[s->g->locations->srclocs[i]];
}

static void free_gathering(struct gathering *s)
{
    for (size_t t = 0; s->tracks && t < s->g->track_count; t++)
        free(s->tracks[t].shares);
    for (unsigned w = 0; s->workers && w < s->worker_count; w++) {
        free(s->workers[w].place);
        free(s->workers[w].merge);
    }
    free(s->tracks);
    free(s->workers);
    free(s->wanted);
    free(s->in_group);
    free(s->items);
}

int csv_gather(const struct csv_gather *gather,
               int (*take)(void *self, uint32_t srcloc, struct csv_item *items, size_t count,
                           struct td_err *err),
               void *self, struct td_err *err)
{
    struct gathering s = {.g = gather};
    uint64_t *totals = NULL, *begins = NULL;
    int rc = prepare_gathering(&s, &totals, &begins);
    if (rc < 0) {
        td_fail_no_memory(err, "for a list of zones");
    } else {
        sum_up(&s, totals);
        rc = run_groups(&s, totals, begins, take, self, err);
    }
    free(totals);
    free(begins);
    free_gathering(&s);
    return rc;
}
