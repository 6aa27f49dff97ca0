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

/* Times of all that has one; ends are only for the last one. */
struct found_times {
    int64_t *at; /* NULL: they are not wanted */
    size_t count;
    int64_t first, last;
};

static void add_time(struct found_times *times, int64_t time)
{
    times->first = time < times->first ? time : times->first;
    times->last = time > times->last ? time : times->last;
    if (times->at)
        times->at[times->count] = time;
    times->count++;
}

static void add_end(struct found_times *times, int64_t time)
{
    times->last = time > times->last ? time : times->last;
}

static void list_times(const struct td_timeline *timeline, struct found_times *times)
{
    const struct td_timeline_stacks *stacks = timeline->stacks;
    times->count = 0;
    times->first = INT64_MAX;
    times->last = INT64_MIN;
    for (size_t i = 0; i < timeline->count; i++) {
        const struct td_timeline_item *item = &timeline->items[i];
        add_end(times, item->kind == TD_ITEM_COMPLETE && item->end_ns != TD_TIMELINE_OPEN ? item->end_ns
                                                                                          : item->time_ns);
        if (has_own_time(item))
            add_time(times, item->time_ns);
    }
    for (size_t i = 0; i < timeline->mark_count; i++)
        add_time(times, timeline->marks[i].time_ns);
    for (size_t i = 0; i < timeline->sample_count; i++)
        add_time(times, timeline->samples[i].time_ns);
    for (size_t i = 0; i < timeline->change_count; i++)
        add_time(times, timeline->changes[i].time_ns);
    for (size_t i = 0; stacks && i < stacks->sample_count; i++)
        add_time(times, stacks->samples[i].time_ns);
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

/* Keeps those elements of an array whose times are not outside. */
#define KEEP(array, number)                                                                                  \
    do {                                                                                                     \
        size_t kept = 0;                                                                                     \
        for (size_t i = 0; i < (number); i++)                                                                \
            if (!is_outside((array)[i].time_ns, zero_ns))                                                    \
                (array)[kept++] = (array)[i];                                                                \
        *lost += (number)-kept;                                                                              \
        (number) = kept;                                                                                     \
    } while (0)

static void lose_outside(struct td_timeline *timeline, int64_t zero_ns)
{
    struct td_timeline_stacks *stacks = timeline->stacks;
    uint64_t *lost = &timeline->counts.lost[TD_LOSS_TIME];
    for (size_t i = 0; i < timeline->count; i++) {
        if (fits(&timeline->items[i], zero_ns))
            continue;
        timeline->items[i].kind = TD_ITEM_NONE;
        ++*lost;
    }
    KEEP(timeline->marks, timeline->mark_count);
    KEEP(timeline->samples, timeline->sample_count);
    KEEP(timeline->changes, timeline->change_count);
    if (stacks)
        KEEP(stacks->samples, stacks->sample_count);
}

int td_timeline_window(struct td_timeline *timeline, int64_t *zero_ns)
{
    struct found_times times = {0};
    list_times(timeline, &times);
    *zero_ns = times.count ? times.first : 0;
    if (!times.count || times.last <= times.first || times.last - times.first <= LENGTH_NS)
        return 0;
    times.at = malloc(times.count * sizeof *times.at);
    if (!times.at)
        return TD_E_NOMEM;
    list_times(timeline, &times);
    *zero_ns = find_window(times.at, times.count);
    free(times.at);
    lose_outside(timeline, *zero_ns);
    return 0;
}
