#include "host/query/rows/zone_longest.h"
#include "host/base/compare.h"
#include "host/trace/fill.h"

#include <stdlib.h>

#define BLOCK       TD_RANGE_BLOCK
#define CHECK_EVERY 256 /* blocks, from one look at the job to the next */

TD_COMPARE(compare_lengths, struct td_zone_length, TD_DOWN(length_ns) TD_UP(row))

/* Whether `a` comes after `b` in the result. */
static bool is_after(struct td_zone_length a, struct td_zone_length b)
{
    return a.length_ns != b.length_ns ? a.length_ns < b.length_ns : a.row > b.row;
}

/* The heap's root is what comes last in the result: the first one to give way. */
static void sink(struct td_zones_longest *l, size_t at)
{
    for (;;) {
        size_t last = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < l->count; child++)
            last = is_after(l->at[child], l->at[last]) ? child : last;
        if (last == at)
            return;
        const struct td_zone_length swap = l->at[at];
        l->at[at] = l->at[last];
        l->at[last] = swap;
        at = last;
    }
}

static void offer(struct td_zones_longest *l, size_t most, struct td_zone_length zone)
{
    if (l->count < most) {
        size_t at = l->count++;
        l->at[at] = zone;
        for (; at && is_after(l->at[at], l->at[(at - 1) / 2]); at = (at - 1) / 2) {
            const struct td_zone_length swap = l->at[at];
            l->at[at] = l->at[(at - 1) / 2];
            l->at[(at - 1) / 2] = swap;
        }
    } else if (is_after(l->at[0], zone)) {
        l->at[0] = zone;
        sink(l, 0);
    }
}

static void offer_block(struct td_zones_longest *l, size_t most, const struct td_zone_filter *filter,
                        struct td_zone_range *range, uint64_t at, uint64_t end)
{
    int64_t length[BLOCK];
    td_series_read(range->part->series, TD_ZONE_DURATION, at, end - at, length);
    if (td_zone_filter_reads(filter))
        td_zone_range_read(filter, range, at);
    for (uint64_t i = at; i < end; i++) {
        const unsigned k = (unsigned)(i % BLOCK);
        const int64_t length_ns = length[i - at] < 0 ? -1 : length[i - at];
        if (l->count == most && length_ns < l->at[0].length_ns)
            continue;
        if (!td_zone_filter_reads(filter) || range->passes[k / 64] >> k % 64 & 1)
            offer(l, most, (struct td_zone_length){length_ns, range->part->first + i});
    }
}

int td_zones_longest_make(struct td_zones_longest *l, size_t most, const struct td_zone_filter *filter,
                          const struct td_zone_range *ranges, size_t count, struct td_job *job)
{
    unsigned blocks = 0;
    *l = (struct td_zones_longest){.at = malloc((most + 1) * sizeof *l->at)};
    if (!l->at)
        return TD_E_NOMEM;
    for (size_t r = 0; most && r < count; r++) {
        struct td_zone_range range = ranges[r];
        for (uint64_t at = range.next, end; at < range.end; at = end) {
            end = at - at % BLOCK + BLOCK;
            end = end < range.end ? end : range.end;
            offer_block(l, most, filter, &range, at, end);
            if (++blocks % CHECK_EVERY == 0 && job && td_job_cancelled(job))
                return TD_E_STOPPED;
        }
    }
    qsort(l->at, l->count, sizeof *l->at, compare_lengths);
    return 0;
}

void td_zones_longest_free(struct td_zones_longest *l)
{
    free(l->at);
    *l = (struct td_zones_longest){0};
}
