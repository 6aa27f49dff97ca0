/* A trace file has room for times of about 39 hours. Where a trace has times further apart, such as a 0 among times of
 * today, the hours with most items are kept. */
#include "host/agent/import/timeline_internal.h"
#include "host/base/compare.h"

#include <stdlib.h>

#define LENGTH_NS ((INT64_C(1) << 47) - 2) /* times have 48 bits, with a sign */

TD_COMPARE_NUMBERS(compare_times, int64_t)

static bool has_own_time(const struct td_timeline_item *item)
{
    return item->kind <= TD_ITEM_BEGIN || item->kind == TD_ITEM_MESSAGE;
}

/* Fills `times`, if it is not NULL. Returns how many there are; *first and *last: of these and of all ends. */
static size_t list_times(const struct td_timeline *timeline, int64_t *times, int64_t *first, int64_t *last)
{
    size_t count = 0;
    *first = INT64_MAX;
    *last = INT64_MIN;
    for (size_t i = 0; i < timeline->count + timeline->mark_count + timeline->sample_count; i++) {
        const struct td_timeline_item *item = i < timeline->count ? &timeline->items[i] : NULL;
        const size_t mark = i - timeline->count, sample = mark - timeline->mark_count;
        const int64_t time = item                          ? item->time_ns
                             : mark < timeline->mark_count ? timeline->marks[mark].time_ns
                                                           : timeline->samples[sample].time_ns;
        const bool closed = item && item->kind == TD_ITEM_COMPLETE && item->end_ns != TD_TIMELINE_OPEN;
        const int64_t end = closed ? item->end_ns : time;
        *last = end > *last ? end : *last;
        if (item && !has_own_time(item))
            continue;
        *first = time < *first ? time : *first;
        if (times)
            times[count] = time;
        count++;
    }
    return count;
}

/* The time at which the hours with most times begin. */
static int64_t find_window(int64_t *times, size_t count)
{
    size_t best = 0, most = 0;
    qsort(times, count, sizeof *times, compare_times);
    for (size_t first = 0, end = 0; first < count; first++) {
        while (end < count && times[end] - times[first] <= LENGTH_NS)
            end++;
        if (end - first > most) {
            most = end - first;
            best = first;
        }
    }
    return times[best];
}

static bool is_outside(int64_t time_ns, int64_t zero_ns)
{
    return time_ns < zero_ns || time_ns - zero_ns > LENGTH_NS;
}

/* Ends before the window have no begin in it, and flows have no length: both stay. */
static bool fits(const struct td_timeline_item *item, int64_t zero_ns)
{
    if (item->kind == TD_ITEM_FLOW)
        return true;
    if (item->kind == TD_ITEM_END)
        return item->time_ns < zero_ns || !is_outside(item->time_ns, zero_ns);
    const bool closed = item->kind == TD_ITEM_COMPLETE && item->end_ns != TD_TIMELINE_OPEN;
    return !is_outside(item->time_ns, zero_ns) && (!closed || !is_outside(item->end_ns, zero_ns));
}

static void lose_outside(struct td_timeline *timeline, int64_t zero_ns)
{
    uint64_t *lost = &timeline->counts.lost[TD_LOSS_TIME];
    size_t kept = 0;
    for (size_t i = 0; i < timeline->count; i++) {
        if (fits(&timeline->items[i], zero_ns))
            continue;
        timeline->items[i].kind = TD_ITEM_NONE;
        ++*lost;
    }
    for (size_t i = 0; i < timeline->mark_count; i++)
        if (!is_outside(timeline->marks[i].time_ns, zero_ns))
            timeline->marks[kept++] = timeline->marks[i];
    *lost += timeline->mark_count - kept;
    timeline->mark_count = kept;
    kept = 0;
    for (size_t i = 0; i < timeline->sample_count; i++)
        if (!is_outside(timeline->samples[i].time_ns, zero_ns))
            timeline->samples[kept++] = timeline->samples[i];
    *lost += timeline->sample_count - kept;
    timeline->sample_count = kept;
}

int td_timeline_window(struct td_timeline *timeline, int64_t *zero_ns)
{
    int64_t last;
    const size_t count = list_times(timeline, NULL, zero_ns, &last);
    if (!count) {
        *zero_ns = 0;
        return 0;
    }
    if (last <= *zero_ns || last - *zero_ns <= LENGTH_NS)
        return 0;
    int64_t *times = malloc(count * sizeof *times), first;
    if (!times)
        return TD_E_NOMEM;
    list_times(timeline, times, &first, &last);
    *zero_ns = find_window(times, count);
    free(times);
    lose_outside(timeline, *zero_ns);
    return 0;
}
