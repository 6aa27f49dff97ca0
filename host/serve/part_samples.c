/* Context switches, samples of call stacks, samples of the processor's counters. */
#include "host/serve/part.h"
#include "host/serve/track.h"
#include "host/wire/items.h"

/* ---- context switches: the runs of all processors, merged by time ---- */

#define CPUS_MAX 256u

/* The time of a processor's next start or end; INT64_MAX: none may be sent yet. */
static int64_t next_switch(struct td_viewer *v, uint32_t cpu)
{
    const struct td_series *rows = td_trace_list(v->trace, TD_TABLE_CPU_SWITCH, cpu);
    struct td_cpu_place *place = &v->cpus.at[cpu];
    uint64_t end = td_place_end(v, &place->place, td_series_count(rows));
    if (place->place.next >= end)
        return INT64_MAX;
    if (!place->is_running)
        return td_part_get(rows, place->place.next, TD_CPU_SWITCH_START);
    int64_t ns = td_part_get(rows, place->place.next, TD_CPU_SWITCH_END);
    if (ns != TD_UNKNOWN_NS)
        return ns;
    /* A run whose end was never reported ends when the next one starts. */
    return place->place.next + 1 < end ? td_part_get(rows, place->place.next + 1, TD_CPU_SWITCH_START)
                                       : INT64_MAX;
}

/* The row of SWITCH that has this time in `column`; false: it is not known. Times are asked for in order. */
static bool find_switch(struct td_viewer *v, uint64_t thread, unsigned column, int64_t ns,
                        const struct td_series **rows, uint64_t *row)
{
    int64_t list = td_key_row(&v->switch_threads, td_trace_table(v->trace, TD_TABLE_SWITCH_THREAD),
                              TD_SWITCH_THREAD_THREAD, thread);
    if (list < 0 || TD_PLACES_GROW(&v->switch_lists, (size_t)list + 1) < 0)
        return false;
    struct td_place *place = &v->switch_lists.at[list];
    *rows = td_trace_list(v->trace, TD_TABLE_SWITCH, (uint64_t)list);
    for (uint64_t count = td_series_count(*rows); place->next < count; place->next++) {
        *row = place->next;
        int64_t value = td_part_get(*rows, *row, column);
        if (value == ns)
            return true;
        if (value > ns || (column == TD_SWITCH_END && value == TD_UNKNOWN_NS))
            return false;
    }
    return false;
}

static uint8_t *put_wakeup(struct td_viewer *v, uint8_t *p, uint64_t thread, int64_t start_ns)
{
    const struct td_series *rows;
    uint64_t row;
    if (!find_switch(v, thread, TD_SWITCH_START, start_ns, &rows, &row))
        return p;
    int64_t ns = td_part_get(rows, row, TD_SWITCH_WAKEUP);
    if (ns == start_ns || ns > start_ns)
        return p;
    struct td_wire_ThreadWakeup item = {.time = td_put_delta(&v->switch_time, ns),
                                        .thread = td_key_thread(v, thread),
                                        .cpu = (uint8_t)td_part_get(rows, row, TD_SWITCH_WAKEUP_CPU)};
    return td_wire_put_ThreadWakeup(p, v->release, &item);
}

static int send_switch(struct td_viewer *v, uint32_t cpu, int64_t ns)
{
    const struct td_series *list = td_trace_list(v->trace, TD_TABLE_CPU_SWITCH, cpu), *rows;
    struct td_cpu_place *place = &v->cpus.at[cpu];
    uint8_t *p = td_put_room(v, 4 * TD_ITEM_MAX);
    uint64_t row;
    if (!p)
        return TD_PART_FULL;
    struct td_wire_ContextSwitch item = {.cpu = (uint8_t)cpu, .oldThreadWaitReason = 0, .oldThreadState = 0};
    if (place->is_running) {
        uint64_t old = (uint64_t)td_part_get(list, place->place.next, TD_CPU_SWITCH_THREAD);
        item.oldThread = td_key_thread(v, old);
        if (find_switch(v, old, TD_SWITCH_END, ns, &rows, &row)) {
            item.oldThreadWaitReason = (uint8_t)td_part_get(rows, row, TD_SWITCH_REASON);
            item.oldThreadState = (uint8_t)td_part_get(rows, row, TD_SWITCH_STATE);
        }
        place->is_running = false;
        place->place.next++;
    }
    uint64_t end = td_place_end(v, &place->place, td_series_count(list));
    if (place->place.next < end && td_part_get(list, place->place.next, TD_CPU_SWITCH_START) == ns) {
        uint64_t new_thread = (uint64_t)td_part_get(list, place->place.next, TD_CPU_SWITCH_THREAD);
        p = put_wakeup(v, p, new_thread, ns);
        item.newThread = td_key_thread(v, new_thread);
        place->is_running = true;
    }
    item.time = td_put_delta(&v->switch_time, ns);
    td_put_end(v, td_wire_put_ContextSwitch(p, v->release, &item));
    return TD_PART_DONE;
}

int td_part_switches(struct td_viewer *v)
{
    uint64_t count = td_trace_lists(v->trace, TD_TABLE_CPU_SWITCH);
    if (count > CPUS_MAX)
        count = CPUS_MAX;
    int result = TD_PLACES_GROW(&v->cpus, count);
    if (result < 0)
        return result;
    int64_t next[CPUS_MAX];
    for (uint32_t cpu = 0; cpu < count; cpu++)
        next[cpu] = next_switch(v, cpu);
    for (;;) {
        uint32_t first = 0;
        for (uint32_t cpu = 1; cpu < count; cpu++)
            first = next[cpu] < next[first] ? cpu : first;
        if (!count || next[first] == INT64_MAX)
            return TD_PART_DONE;
        result = send_switch(v, first, next[first]);
        if (result)
            return result;
        next[first] = next_switch(v, first);
    }
}

/* ---- samples of call stacks ---- */

/* Whether the row is also in SWITCH_SAMPLE, which is a part of SAMPLE in the same order. */
static bool is_at_switch(struct td_viewer *v, uint32_t number, int64_t ns, int64_t stack)
{
    const struct td_series *rows = td_trace_list(v->trace, TD_TABLE_SWITCH_SAMPLE, number);
    struct td_place *place = &v->tracks.at[number].switch_sample;
    return place->next < td_series_count(rows) &&
           td_part_get(rows, place->next, TD_SWITCH_SAMPLE_TIME) == ns &&
           td_part_get(rows, place->next, TD_SWITCH_SAMPLE_STACK) == stack;
}

static int send_samples(struct td_viewer *v, uint32_t number)
{
    struct td_track_place *track = &v->tracks.at[number];
    const struct td_series *rows = td_trace_list(v->trace, TD_TABLE_SAMPLE, number);
    uint64_t end = td_place_end(v, &track->sample, td_series_count(rows));
    for (; track->sample.next < end; track->sample.next++) {
        int64_t ns = td_part_get(rows, track->sample.next, TD_SAMPLE_TIME);
        int64_t stack = td_part_get(rows, track->sample.next, TD_SAMPLE_STACK);
        uint8_t *p = td_put_room(v, TD_ITEM_MAX + td_put_stack_room(v, (uint32_t)stack));
        if (!p)
            return TD_PART_FULL;
        if (!td_put_stack(v, &p, (uint32_t)stack, TD_STACK_SAMPLE))
            continue;
        if (!track->wire_thread)
            track->wire_thread = td_key_track(v, number);
        bool at_switch = is_at_switch(v, number, ns, stack);
        track->switch_sample.next += at_switch;
        struct td_wire_CallstackSample item = {.time = td_put_delta(&v->switch_time, ns),
                                               .thread = track->wire_thread};
        struct td_wire_CallstackSampleContextSwitch other = {.time = item.time, .thread = item.thread};
        td_put_end(v, at_switch ? td_wire_put_short_CallstackSampleContextSwitch(p, v->release, &other)
                                : td_wire_put_short_CallstackSample(p, v->release, &item));
    }
    return TD_PART_DONE;
}

int td_part_samples(struct td_viewer *v)
{
    uint32_t count = td_dict_track_count(v->dict);
    int result = TD_PLACES_GROW(&v->tracks, count);
    TD_PART_EACH(v, count, result, send_samples(v, i));
    return result;
}

/* ---- counters ---- */

enum { HW_KINDS = 6 };
_Static_assert(TD_TABLE_HW_BRANCH_MISSES - TD_TABLE_HW_CYCLES == HW_KINDS - 1 &&
                   TD_ITEM_HwSampleBranchMiss - TD_ITEM_HwSampleCpuCycle == HW_KINDS - 1,
               "tables in the order of the items");

static int send_hardware(struct td_viewer *v, uint32_t place_number)
{
    uint32_t address = place_number / HW_KINDS, kind = place_number % HW_KINDS;
    struct td_place *place = &v->hw.at[place_number];
    const struct td_series *rows = td_trace_list(v->trace, TD_TABLE_HW_CYCLES + kind, address);
    uint64_t end = td_place_end(v, place, td_series_count(rows));
    for (; place->next < end; place->next++) {
        uint8_t *p = td_put_room(v, TD_ITEM_MAX);
        if (!p)
            return TD_PART_FULL;
        struct td_wire_HwSampleCpuCycle item = {
            (uint64_t)td_part_get(td_trace_table(v->trace, TD_TABLE_HW_ADDRESS), address,
                                  TD_HW_ADDRESS_ADDRESS),
            td_part_get(rows, place->next, TD_HW_CYCLES_TIME)};
        uint8_t *item_end = td_wire_put_HwSampleCpuCycle(p, v->release, &item);
        *p = td_wire_id(v->release, TD_ITEM_HwSampleCpuCycle + kind); /* the same fields */
        td_put_end(v, item_end);
    }
    return TD_PART_DONE;
}

int td_part_hardware(struct td_viewer *v)
{
    uint64_t count = td_series_count(td_trace_table(v->trace, TD_TABLE_HW_ADDRESS)) * HW_KINDS;
    int result = TD_PLACES_GROW(&v->hw, count);
    TD_PART_EACH(v, count, result, send_hardware(v, i));
    return result;
}
