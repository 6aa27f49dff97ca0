#include "host/query/rows/zone_names.h"
#include "host/base/grow.h"
#include "host/event/map.h"
#include "host/trace/fill.h"
#include "host/trace/tables.h"

#include <stdlib.h>

#define BLOCK       TD_RANGE_BLOCK
#define ROOM        (UINT64_C(8) << 20) /* zones that are gathered at once, 4 bytes each */
#define CHECK_EVERY 256                 /* blocks, from one look at the job to the next */
#define NO_RANK     UINT32_MAX
#define AHEAD       16 /* zones */

struct zone_name {
    const char *text;
    size_t bytes;
    uint32_t number; /* of the location, or of the string */
    bool is_own;     /* of zones, not of a location */
};

struct td_zones_by_name {
    const struct td_zone_filter *filter;
    const struct td_zone_range *range;
    size_t ranges;
    struct td_job *job;
    unsigned blocks;

    uint32_t *of_location;   /* rank of the name; equal names have one rank */
    struct td_map of_string; /* the same of names of zones */
    uint64_t *count;         /* zones by rank */
    struct label {
        const char *text;
        size_t bytes;
    } * label; /* by rank */
    uint32_t ranks, next_rank;
    uint32_t rank; /* of the zone that was passed on last */

    uint32_t *row; /* gathered zones, in the order in which they are passed on */
    uint64_t rows, at, room;
    uint64_t *place; /* by rank: where the next zone goes */
    /* A name with more zones than there is room for: where to read on. */
    bool continues, is_large; /* there is more of it; the gathered zones are of one name */
    size_t next_range;
    uint64_t next_zone;
};

/* ---- ranks ---- */

static int compare_names(const void *a, const void *b)
{
    const struct zone_name *x = a, *y = b;
    const size_t bytes = x->bytes < y->bytes ? x->bytes : y->bytes;
    const int order = memcmp(x->text, y->text, bytes);
    return order ? order : (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

struct name_list {
    struct zone_name *at;
    size_t count, room;
};

static int list_names(struct td_zones_by_name *n, struct name_list *list)
{
    const struct td_query_rows *zones = n->filter->zones;
    const struct td_series *extras = td_trace_table(zones->of.trace, TD_TABLE_EXTRA);
    for (uint32_t s = 0; s < n->filter->location_count; s++) {
        const char *text = td_dict_zone_name(zones->dict, s);
        if (TD_APPEND(list->at, list->count, list->room, (struct zone_name){text, strlen(text), s, false}) <
            0)
            return TD_E_NOMEM;
    }
    for (uint64_t i = 0; i < td_series_count(extras); i++) {
        const uint32_t string = (uint32_t)td_series_next(extras, i, TD_EXTRA_NAME);
        const int added = string ? td_map_add(&n->of_string, string, 0) : 0;
        const struct zone_name name = {td_dict_text(zones->dict, string),
                                       td_dict_text_bytes(zones->dict, string), string, true};
        if (added < 0 || (added && TD_APPEND(list->at, list->count, list->room, name) < 0))
            return TD_E_NOMEM;
    }
    return 0;
}

static int rank_names(struct td_zones_by_name *n)
{
    struct name_list list = {0};
    n->of_location = calloc((size_t)n->filter->location_count + 1, sizeof *n->of_location);
    int rc = n->of_location ? list_names(n, &list) : TD_E_NOMEM;
    if (rc == 0 && list.count)
        qsort(list.at, list.count, sizeof *list.at, compare_names);
    n->label = calloc(list.count + 1, sizeof *n->label);
    rc = n->label ? rc : TD_E_NOMEM;
    for (size_t i = 0; rc == 0 && i < list.count; i++) {
        n->ranks += !i || compare_names(&list.at[i - 1], &list.at[i]) != 0;
        n->label[n->ranks - 1] = (struct label){list.at[i].text, list.at[i].bytes};
        if (list.at[i].is_own)
            rc = td_map_set(&n->of_string, list.at[i].number, n->ranks - 1);
        else
            n->of_location[list.at[i].number] = n->ranks - 1;
    }
    free(list.at);
    return rc;
}

/* The ranks of the zones of a block; NO_RANK: the zone does not pass, or is not in the range. The block is that of the
 * zone `at`, and *end becomes its end. False: the job was cancelled. */
static bool read_ranks(struct td_zones_by_name *n, struct td_zone_range *range, uint64_t at, uint64_t *end,
                       uint32_t ranks[BLOCK])
{
    const struct td_trace *trace = n->filter->zones->of.trace;
    const uint64_t block = at - at % BLOCK;
    const uint64_t count = range->part->count - block < BLOCK ? range->part->count - block : BLOCK;
    const bool has_own = n->of_string.count > 0;
    int64_t location[BLOCK], extra[BLOCK];
    *end = block + count < range->end ? block + count : range->end;
    if (++n->blocks % CHECK_EVERY == 0 && n->job && td_job_cancelled(n->job))
        return false;
    td_series_read(range->part->series, TD_ZONE_SRCLOC, block, count, location);
    if (has_own)
        td_series_read(range->part->series, TD_ZONE_EXTRA, block, count, extra);
    for (uint64_t k = 0; k < count; k++) {
        const uint64_t s = (uint64_t)location[k] < n->filter->location_count ? (uint64_t)location[k] : 0;
        ranks[k] = n->of_location[s];
        if (has_own && extra[k] > 0) {
            struct td_zone zone = {0};
            td_trace_zone_extra(trace, extra[k], &zone);
            ranks[k] = zone.name ? td_map_get(&n->of_string, zone.name, ranks[k]) : ranks[k];
        }
    }
    if (td_zone_filter_reads(n->filter)) {
        td_zone_range_read(n->filter, range, at);
        for (uint64_t k = 0; k < count; k++)
            ranks[k] = range->passes[k / 64] >> k % 64 & 1 ? ranks[k] : NO_RANK;
    }
    return true;
}

static int count_ranks(struct td_zones_by_name *n)
{
    uint32_t ranks[BLOCK];
    n->count = calloc((size_t)n->ranks + 1, sizeof *n->count);
    n->place = calloc((size_t)n->ranks + 1, sizeof *n->place);
    if (!n->count || !n->place)
        return TD_E_NOMEM;
    uint64_t total = 0;
    for (size_t i = 0; i < n->ranges; i++) {
        struct td_zone_range range = n->range[i];
        for (uint64_t at = range.next, end; at < range.end; at = end) {
            if (!read_ranks(n, &range, at, &end, ranks))
                return TD_E_STOPPED;
            for (; at < end; at++)
                if (ranks[at % BLOCK] != NO_RANK)
                    n->count[ranks[at % BLOCK]]++, total++;
        }
    }
    n->room = total < ROOM ? total : ROOM;
    n->row = malloc((size_t)(n->room + 1) * sizeof *n->row);
    return n->row ? 0 : TD_E_NOMEM;
}

/* ---- gathering ---- */

/* Chooses the ranks from next_rank to before the returned one: as many as there is room for, but one at least. */
static uint32_t choose_ranks(struct td_zones_by_name *n)
{
    uint32_t end = n->next_rank;
    n->rows = 0;
    for (; end < n->ranks && (end == n->next_rank || n->rows + n->count[end] <= n->room); end++) {
        n->place[end] = n->rows;
        n->rows += n->count[end];
    }
    return end;
}

/* Gathers the zones of a name, as many as there is room for, from where the last ones were. */
static bool gather_large(struct td_zones_by_name *n)
{
    uint32_t ranks[BLOCK];
    n->is_large = true;
    n->rows = 0;
    for (; n->next_range < n->ranges; n->next_range++, n->next_zone = 0) {
        struct td_zone_range range = n->range[n->next_range];
        uint64_t at = n->next_zone > range.next ? n->next_zone : range.next;
        for (uint64_t end; at < range.end; at = end) {
            if (n->rows + BLOCK > n->room) {
                n->next_zone = at;
                return true;
            }
            if (!read_ranks(n, &range, at, &end, ranks))
                return false;
            for (; at < end; at++)
                if (ranks[at % BLOCK] == n->next_rank)
                    n->row[n->rows++] = (uint32_t)(range.part->first + at);
        }
    }
    n->continues = false;
    n->next_rank++;
    return true;
}

static bool gather_small(struct td_zones_by_name *n, uint32_t end_rank)
{
    uint32_t ranks[BLOCK];
    n->is_large = false;
    for (size_t i = 0; i < n->ranges; i++) {
        struct td_zone_range range = n->range[i];
        for (uint64_t at = range.next, end; at < range.end; at = end) {
            if (!read_ranks(n, &range, at, &end, ranks))
                return false;
            for (; at < end; at++) {
                const uint32_t rank = ranks[at % BLOCK];
                if (rank >= n->next_rank && rank < end_rank)
                    n->row[n->place[rank]++] = (uint32_t)(range.part->first + at);
            }
        }
    }
    n->next_rank = end_rank;
    return true;
}

static bool gather_more(struct td_zones_by_name *n)
{
    n->rank = n->next_rank;
    if (n->continues)
        return gather_large(n);
    const uint32_t end = choose_ranks(n);
    if (n->rows > n->room) {
        n->continues = true;
        n->next_range = 0;
        n->next_zone = 0;
        return gather_large(n);
    }
    if (n->rows)
        return gather_small(n, end);
    n->next_rank = end;
    return true;
}

/* False: all were passed on, or the job was cancelled. */
static bool gather(struct td_zones_by_name *n)
{
    n->at = n->rows = 0;
    while (!n->rows && (n->continues || n->next_rank < n->ranks))
        if (!gather_more(n)) {
            n->rows = 0;
            return false;
        }
    return n->rows > 0;
}

/* The zones of a name are all over the model: what the next ones need is loaded before. */
static void load_ahead(const struct td_zones_by_name *n, const struct td_query_rows *zones)
{
    const uint64_t row = n->row[n->at + AHEAD];
    const struct td_zones_part *part = td_zones_part_of(zones, n->row[n->at]);
    if (row - part->first < part->count)
        td_series_prefetch(part->series, row - part->first);
}

bool td_zones_by_name_next(struct td_zones_by_name *n, uint64_t *row)
{
    if (n->at == n->rows && !gather(n))
        return false;
    if (n->at + AHEAD < n->rows)
        load_ahead(n, n->filter->zones);
    if (!n->is_large)
        while (n->at >= n->place[n->rank])
            n->rank++;
    *row = n->row[n->at++];
    return true;
}

const char *td_zones_by_name_text(const struct td_zones_by_name *n, size_t *bytes)
{
    *bytes = n->label[n->rank].bytes;
    return n->label[n->rank].text;
}

struct td_zones_by_name *td_zones_by_name_make(const struct td_zone_filter *filter,
                                               const struct td_zone_range *ranges, size_t count,
                                               struct td_job *job, int *rc)
{
    struct td_zones_by_name *n = filter->zones->count <= UINT32_MAX ? calloc(1, sizeof *n) : NULL;
    *rc = filter->zones->count <= UINT32_MAX ? TD_E_NOMEM : TD_E_LIMIT;
    if (!n)
        return NULL;
    n->filter = filter;
    n->range = ranges;
    n->ranges = count;
    n->job = job;
    *rc = rank_names(n);
    *rc = *rc ? *rc : count_ranks(n);
    if (*rc == 0)
        return n;
    td_zones_by_name_free(n);
    return NULL;
}

void td_zones_by_name_free(struct td_zones_by_name *n)
{
    if (!n)
        return;
    td_map_finish(&n->of_string);
    free(n->of_location);
    free(n->label);
    free(n->count);
    free(n->place);
    free(n->row);
    free(n);
}
