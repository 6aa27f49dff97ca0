#include "host/query/rows/zone_scan.h"
#include "host/query/rows/zone_longest.h"
#include "host/query/rows/zone_names.h"
#include "host/query/rows/zone_ranges.h"
#include "host/trace/fill.h"

#include <stdlib.h>

#define CHECK_EVERY 64 /* blocks that pass nothing, from one look at the job to the next */

struct td_zone_scan {
    struct td_zone_filter filter;
    bool down;
    enum td_zone_order order;
    struct td_job *job;
    struct td_zone_range *range; /* by part; by time, a heap */
    size_t ranges, at;
    struct td_zones_by_name *names; /* by name */
    struct td_zones_longest longest;
};

/* ---- one range ---- */

/* Finds the next zone that passes, which `next` then is, or `end - 1` backwards. False: there is none. */
static bool find_in_range(struct td_zone_scan *scan, struct td_zone_range *range)
{
    const bool down = scan->down;
    if (!td_zone_filter_reads(&scan->filter))
        return range->next < range->end;
    for (unsigned blocks = 0; range->next < range->end;) {
        const uint64_t at = down ? range->end - 1 : range->next;
        if (range->block != at - at % TD_RANGE_BLOCK && ++blocks % CHECK_EVERY == 0 && scan->job &&
            td_job_cancelled(scan->job))
            return false;
        td_zone_range_read(&scan->filter, range, at);
        const unsigned k = (unsigned)(at % TD_RANGE_BLOCK), bit = k % 64;
        const uint64_t word = range->passes[k / 64], rest = down ? word << (63 - bit) : word >> bit;
        const unsigned skips = !rest ? (down ? bit + 1 : 64 - bit)
                                     : (unsigned)(down ? __builtin_clzll(rest) : __builtin_ctzll(rest));
        if (rest && skips < range->end - range->next) {
            range->end -= down ? skips : 0;
            range->next += down ? 0 : skips;
            return true;
        }
        if (skips >= range->end - range->next)
            break;
        range->end -= down ? skips : 0;
        range->next += down ? 0 : skips;
    }
    range->next = range->end;
    return false;
}

/* The zone that was found, which is taken. */
static uint64_t take(const struct td_zone_scan *scan, struct td_zone_range *range)
{
    return range->part->first + (scan->down ? --range->end : range->next++);
}

/* ---- by time: a heap of ranges ---- */

static bool is_before(const struct td_zone_scan *scan, size_t a, size_t b)
{
    const struct td_zone_range *x = &scan->range[a], *y = &scan->range[b];
    const bool first = x->start_ns != y->start_ns ? x->start_ns < y->start_ns : x->part < y->part;
    return first != scan->down;
}

static void sink(struct td_zone_scan *scan, size_t at)
{
    for (;;) {
        size_t best = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < scan->ranges; child++)
            best = is_before(scan, child, best) ? child : best;
        if (best == at)
            return;
        const struct td_zone_range swap = scan->range[at];
        scan->range[at] = scan->range[best];
        scan->range[best] = swap;
        at = best;
    }
}

static bool find_with_start(struct td_zone_scan *scan, struct td_zone_range *range)
{
    if (!find_in_range(scan, range))
        return false;
    const uint64_t zone = scan->down ? range->end - 1 : range->next;
    range->start_ns = td_series_get(range->part->series, zone, TD_ZONE_START);
    return true;
}

static void make_heap(struct td_zone_scan *scan)
{
    size_t kept = 0;
    for (size_t i = 0; i < scan->ranges; i++)
        if (find_with_start(scan, &scan->range[i]))
            scan->range[kept++] = scan->range[i];
    scan->ranges = kept;
    for (size_t i = kept / 2; i-- > 0;)
        sink(scan, i);
}

static bool next_by_time(struct td_zone_scan *scan, uint64_t *row)
{
    if (!scan->ranges)
        return false;
    *row = take(scan, &scan->range[0]);
    if (!find_with_start(scan, &scan->range[0]))
        scan->range[0] = scan->range[--scan->ranges];
    sink(scan, 0);
    return true;
}

static bool next_by_row(struct td_zone_scan *scan, uint64_t *row)
{
    for (; scan->at < scan->ranges; scan->at++) {
        struct td_zone_range *range = &scan->range[scan->down ? scan->ranges - 1 - scan->at : scan->at];
        if (find_in_range(scan, range)) {
            *row = take(scan, range);
            return true;
        }
    }
    return false;
}

/* ---- the scan ---- */

/* Only the parts between the limits of numbers are looked at: questions ask for one track, or for children, again and
 * again. */
static int list_ranges(struct td_zone_scan *scan, const struct td_zone_limits *limits)
{
    const struct td_query_rows *zones = scan->filter.zones;
    size_t parts;
    const struct td_zones_part *part = td_zones_parts(zones, &parts), *end = part + parts;
    if (limits->row_from < zones->count)
        part = td_zones_part_of(zones, limits->row_from);
    else
        part = end;
    if (part < end && limits->row_to < zones->count)
        end = td_zones_part_of(zones, limits->row_to) + 1;
    scan->range = malloc((part < end ? (size_t)(end - part) + 1 : 1) * sizeof *scan->range);
    for (; scan->range && part < end; part++)
        scan->ranges += td_zone_range_of(&scan->filter, limits->tracks, part, &scan->range[scan->ranges]);
    return scan->range ? 0 : TD_E_NOMEM;
}

struct td_zone_scan *td_zone_scan_begin(const struct td_query_rows *zones,
                                        const struct td_zone_limits *limits, enum td_zone_order order,
                                        struct td_job *job, int *rc)
{
    struct td_zone_scan *scan = calloc(1, sizeof *scan);
    *rc = TD_E_NOMEM;
    if (!scan)
        return NULL;
    scan->down = limits->down;
    scan->order = order;
    scan->job = job;
    *rc = td_zone_filter_init(&scan->filter, zones, limits);
    *rc = *rc ? *rc : list_ranges(scan, limits);
    if (*rc == 0 && order == TD_ZONES_BY_TIME)
        make_heap(scan);
    if (*rc == 0 && order == TD_ZONES_BY_NAME)
        scan->names = td_zones_by_name_make(&scan->filter, scan->range, scan->ranges, job, rc);
    if (*rc == 0 && order == TD_ZONES_LONGEST)
        *rc = td_zones_longest_make(&scan->longest, limits->most, &scan->filter, scan->range, scan->ranges,
                                    job);
    if (*rc == 0)
        return scan;
    td_zone_scan_end(scan);
    return NULL;
}

static bool next_longest(struct td_zone_scan *scan, uint64_t *row)
{
    if (scan->at == scan->longest.count)
        return false;
    *row = scan->longest.at[scan->at++].row;
    return true;
}

bool td_zone_scan_next(struct td_zone_scan *scan, uint64_t *row)
{
    return scan->order == TD_ZONES_BY_NAME   ? td_zones_by_name_next(scan->names, row)
           : scan->order == TD_ZONES_LONGEST ? next_longest(scan, row)
           : scan->order == TD_ZONES_BY_TIME ? next_by_time(scan, row)
                                             : next_by_row(scan, row);
}

const char *td_zone_scan_name(const struct td_zone_scan *scan, size_t *bytes)
{
    return scan->names ? td_zones_by_name_text(scan->names, bytes) : NULL;
}

void td_zone_scan_end(struct td_zone_scan *scan)
{
    if (!scan)
        return;
    td_zones_by_name_free(scan->names);
    td_zones_longest_free(&scan->longest);
    td_zone_filter_free(&scan->filter);
    free(scan->range);
    free(scan);
}
