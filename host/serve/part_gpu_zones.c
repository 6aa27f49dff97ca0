/* Zones of GPU contexts. Their lines are sent as the one list of nested zones that the program sent, with the
 * times as they are. */
#include "host/base/wrap.h"
#include "host/serve/part.h"
#include "host/wire/items.h"

#include <stdlib.h>
#include <string.h>

/* Servers take a GPU's time that is 2^31 ticks before the last one of its context for a timer that has
 * wrapped. So the threads are sent in turns, a slice of time each, and the time of an end is sent when no
 * earlier time is left. */
#define SLICE_NS     INT64_C(1000000000)
#define PENDING_MOST 1024u

struct gpu_thread {
    uint16_t context;
    uint32_t owner;  /* the context's thread; 0: each zone has its own */
    uint32_t thread; /* of the context, or of the track */
    struct td_context_place *times;
    struct td_gpu_place *place;
};

static uint8_t *put_time(struct td_viewer *v, uint8_t *p, uint16_t context, uint16_t query, int64_t ns)
{
    struct td_wire_GpuTime item = {
        .gpuTime = td_put_delta(&v->gpu_time, ns), .queryId = query, .context = context};
    return td_wire_put_GpuTime(p, v->release, &item);
}

/* Sends the times of ends that are not after `ns`. */
static int send_ends(struct td_viewer *v, uint16_t context, struct td_context_place *times, int64_t ns)
{
    size_t sent = 0;
    int result = TD_PART_DONE;
    for (; sent < times->ends.count && times->ends.at[sent].ns <= ns; sent++) {
        uint8_t *p = td_put_room(v, TD_ITEM_MAX);
        if (!p) {
            result = TD_PART_FULL;
            break;
        }
        td_put_end(v, put_time(v, p, context, times->ends.at[sent].query, times->ends.at[sent].ns));
    }
    times->ends.count -= sent;
    if (sent)
        memmove(times->ends.at, times->ends.at + sent, times->ends.count * sizeof *times->ends.at);
    return result;
}

static int keep_end(struct td_context_place *times, int64_t ns, uint16_t query)
{
    size_t at = times->ends.count;
    int result = TD_PLACES_GROW(&times->ends, at + 1);
    if (result < 0)
        return result;
    for (; at && times->ends.at[at - 1].ns > ns; at--)
        times->ends.at[at] = times->ends.at[at - 1];
    times->ends.at[at] = (struct td_gpu_end){ns, query};
    return TD_PART_DONE;
}

/* The time until which ends must be sent before the query of a begin may be used. */
static int64_t end_with_query(const struct td_context_place *times, uint16_t query, int64_t ns)
{
    for (size_t i = 0; i < times->ends.count; i++)
        if (times->ends.at[i].query == query && times->ends.at[i].ns > ns)
            ns = times->ends.at[i].ns;
    if (times->ends.count > PENDING_MOST && times->ends.at[times->ends.count - PENDING_MOST].ns > ns)
        ns = times->ends.at[times->ends.count - PENDING_MOST].ns;
    return ns;
}

static uint8_t *put_gpu_begin(struct td_viewer *v, uint8_t *p, const struct gpu_thread *t, int64_t cpu_ns,
                              uint16_t query, uint32_t srcloc, bool with_stack)
{
    int64_t delta = td_put_delta(&v->serial_time, cpu_ns);
    if (td_key_srcloc_is_sent(v, srcloc)) {
        p = td_put_srcloc(v, p, srcloc);
        struct td_wire_GpuZoneBeginAllocSrcLocSerial item = {delta, t->thread, query, t->context};
        uint8_t *end = td_wire_put_GpuZoneBeginAllocSrcLocSerial(p, v->release, &item);
        if (with_stack)
            *p = td_wire_id(v->release, TD_ITEM_GpuZoneBeginAllocSrcLocCallstackSerial);
        return end;
    }
    struct td_wire_GpuZoneBeginSerial item = {delta, t->thread, query, t->context,
                                              td_key(TD_KEY_SRCLOC, srcloc)};
    uint8_t *end = td_wire_put_GpuZoneBeginSerial(p, v->release, &item);
    if (with_stack) /* the same fields */
        *p = td_wire_id(v->release, TD_ITEM_GpuZoneBeginCallstackSerial);
    return end;
}

static uint32_t stack_of(const struct td_viewer *v, uint64_t extra)
{
    const struct td_series *extras = td_trace_table(v->trace, TD_TABLE_EXTRA);
    return extra && extra < td_series_count(extras) ? (uint32_t)td_series_get(extras, extra, TD_EXTRA_STACK)
                                                    : 0;
}

static int begin_gpu_zone(struct td_viewer *v, const struct gpu_thread *t, const struct td_gpu_step *step)
{
    const struct td_series *row = td_trace_row(v->trace, step->track, step->row);
    const uint32_t srcloc = (uint32_t)td_series_get(row, step->index, TD_ZONE_SRCLOC);
    const uint32_t stack = stack_of(v, (uint64_t)td_series_get(row, step->index, TD_ZONE_EXTRA));
    const int64_t query = td_series_get(row, step->index, TD_ZONE_QUERY),
                  start_ns = td_series_get(row, step->index, TD_ZONE_START);
    const bool sent = td_key_srcloc_is_sent(v, srcloc), has_start = !(query & TD_ZONE_NO_START);
    int result = send_ends(v, t->context, t->times,
                           end_with_query(t->times, (uint16_t)query, has_start ? start_ns : INT64_MIN));
    if (result)
        return result;
    uint8_t *p = td_put_room(v, 4 * TD_ITEM_MAX + td_put_stack_room(v, stack) +
                                    (sent ? td_put_srcloc_room(v, srcloc) : 0));
    if (!p)
        return TD_PART_FULL;
    bool with_stack = stack && td_put_stack(v, &p, stack, TD_STACK_SERIAL);
    p = put_gpu_begin(v, p, t, td_series_get(row, step->index, TD_ZONE_CPU_START), (uint16_t)query, srcloc,
                      with_stack);
    if (has_start)
        p = put_time(v, p, t->context, (uint16_t)query, start_ns);
    td_put_end(v, p);
    return TD_PART_DONE;
}

static int end_gpu_zone(struct td_viewer *v, const struct gpu_thread *t, const struct td_gpu_step *step)
{
    const struct td_series *row = td_trace_row(v->trace, step->track, step->row);
    const int64_t cpu_start_ns = td_series_get(row, step->index, TD_ZONE_CPU_START),
                  cpu_duration = td_series_get(row, step->index, TD_ZONE_CPU_DURATION),
                  start_ns = td_series_get(row, step->index, TD_ZONE_START),
                  duration = td_series_get(row, step->index, TD_ZONE_DURATION),
                  query = td_series_get(row, step->index, TD_ZONE_QUERY),
                  back_ns = query >> TD_ZONE_BACK_SHIFT;
    const bool has_end = duration >= 0 && !(query & (TD_ZONE_NO_START | TD_ZONE_NO_END));
    uint8_t *p = td_put_room(v, TD_ITEM_MAX);
    if (!p)
        return TD_PART_FULL;
    if (has_end) {
        int result =
            keep_end(t->times, td_wrap_add(start_ns, back_ns ? -back_ns : duration), --t->times->query);
        if (result)
            return result;
    }
    /* A zone whose end the host never issued is ended, because others follow it. */
    struct td_wire_GpuZoneEndSerial item = {
        .cpuTime =
            td_put_delta(&v->serial_time, td_wrap_add(cpu_start_ns, cpu_duration > 0 ? cpu_duration : 0)),
        .thread = t->owner ? 0 : t->thread,
        .queryId = has_end ? t->times->query : (uint16_t)query,
        .context = t->context};
    td_put_end(v, td_wire_put_GpuZoneEndSerial(p, v->release, &item));
    return TD_PART_DONE;
}

/* Ends the zones that are not around one at `depth`. */
static int end_gpu_zones(struct td_viewer *v, const struct gpu_thread *t, uint32_t depth)
{
    int result = TD_PART_DONE;
    while (!result && t->place->open.count > depth) {
        result = end_gpu_zone(v, t, &t->place->open.at[t->place->open.count - 1]);
        t->place->open.count -= !result;
    }
    return result;
}

/* Sends the thread's zones that begin before the end of the slice; *next_ns: the least of it and the time of
 * the next one. */
static int send_slice(struct td_viewer *v, const struct gpu_thread *t, int64_t *next_ns)
{
    struct td_gpu_place *place = t->place;
    for (;;) {
        int result = place->has_next ? 1 : td_gpu_order_next(&place->order, &place->next);
        if (result < 0)
            return result;
        place->has_next = result;
        if (!result)
            return v->final ? end_gpu_zones(v, t, 0) : TD_PART_DONE;
        const struct td_gpu_step *next = &place->next;
        const int64_t ns =
            td_series_get(td_trace_row(v->trace, next->track, next->row), next->index, TD_ZONE_START);
        if ((result = end_gpu_zones(v, t, next->depth)))
            return result;
        if (ns > v->gpu_slice_ns) {
            *next_ns = ns < *next_ns ? ns : *next_ns;
            return TD_PART_DONE;
        }
        if ((result = TD_PLACES_GROW(&place->open, place->open.count + 1)))
            return result;
        place->open.count--;
        if ((result = begin_gpu_zone(v, t, next)))
            return result;
        place->open.at[place->open.count++] = *next;
        place->has_next = false;
    }
}

static int send_thread(struct td_viewer *v, uint32_t number)
{
    const struct td_track *known = td_dict_get_track(v->dict, number);
    const struct td_series *contexts = td_trace_table(v->trace, TD_TABLE_GPU_CONTEXT);
    const uint32_t context = known->context ? known->context - 1 : UINT32_MAX;
    struct td_gpu_place *place = v->tracks.at[number].gpu;
    if (!place || context >= v->contexts.count || !v->contexts.at[context].is_announced)
        return TD_PART_DONE;
    const uint32_t owner = td_key_thread(v, (uint64_t)td_part_get(contexts, context, TD_GPU_CONTEXT_THREAD));
    const struct gpu_thread t = {.context = (uint16_t)context,
                                 .owner = owner,
                                 .thread = owner ? owner : td_key_thread(v, known->thread),
                                 .times = &v->contexts.at[context],
                                 .place = place};
    for (size_t i = 0; i < place->lines.count; i++)
        if (td_gpu_order_add(&place->order, place->lines.at[i]) < 0)
            return TD_E_NOMEM;
    return send_slice(v, &t, &v->gpu_next_ns);
}

/* ---- which lines a thread has ---- */

static uint32_t first_line(const struct td_viewer *v, uint32_t number)
{
    const struct td_track *line = td_dict_get_track(v->dict, number), *t;
    uint32_t first = number;
    while (line->line && first-- > 0) {
        t = td_dict_get_track(v->dict, first);
        if (!t->line && t->context == line->context && t->thread == line->thread)
            return first;
    }
    return number;
}

static int add_line(struct td_viewer *v, uint32_t number)
{
    if (!td_dict_get_track(v->dict, number)->context)
        return 0;
    struct td_track_place *first = &v->tracks.at[first_line(v, number)];
    if (!first->gpu) {
        if (!(first->gpu = calloc(1, sizeof *first->gpu)))
            return TD_E_NOMEM;
        td_gpu_order_begin(&first->gpu->order, v->trace);
    }
    const size_t lines = first->gpu->lines.count;
    if (TD_PLACES_GROW(&first->gpu->lines, lines + 1) < 0)
        return TD_E_NOMEM;
    first->gpu->lines.at[lines] = number;
    return 0;
}

static int send_ends_of(struct td_viewer *v, uint32_t context, int64_t ns)
{
    return send_ends(v, (uint16_t)context, &v->contexts.at[context], ns);
}

int td_part_gpu_zones(struct td_viewer *v)
{
    const uint32_t count = td_dict_track_count(v->dict);
    int result = TD_PLACES_GROW(&v->tracks, count);
    for (; !result && v->gpu_tracks < count; v->gpu_tracks += !result)
        result = add_line(v, v->gpu_tracks);
    while (!result) {
        if (!v->part_item)
            v->gpu_next_ns = INT64_MAX;
        TD_PART_EACH(v, count, result, send_thread(v, i));
        for (uint32_t i = 0; !result && i < v->contexts.count; i++)
            result = send_ends_of(v, i, v->gpu_next_ns);
        if (result || v->gpu_next_ns == INT64_MAX)
            break;
        v->gpu_slice_ns = td_wrap_add(v->gpu_next_ns, SLICE_NS);
    }
    return result;
}
