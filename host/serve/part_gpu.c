/* GPU contexts, their zones and notes. All are serial items, so that a context always comes before its zones. The
 * model has the zones' times in ns already: contexts are announced with a tick of 1 ns and no difference to the
 * program's clock. */
#include "host/base/wrap.h"
#include "host/serve/part.h"
#include "host/serve/track.h"

#include <string.h>

#define TYPE_VULKAN      2
#define TYPE_CUSTOM      7
#define TYPE_FORK_DEVICE 6

static uint8_t type_for(const struct td_wire_release *release, int64_t type)
{
    if (td_wire_is_fork(release) && type == TD_GPU_TENSTORRENT)
        return TYPE_FORK_DEVICE;
    if (type >= 1 && type <= release->last_gpu_type)
        return (uint8_t)type;
    return release->last_gpu_type >= TYPE_CUSTOM ? TYPE_CUSTOM : TYPE_VULKAN;
}

static bool has_number(const struct td_viewer *v, uint64_t context)
{
    return context < UINT64_C(1) << 8 * v->release->context_bytes;
}

static int announce(struct td_viewer *v, const struct td_series *rows, uint32_t context)
{
    uint8_t *p = td_put_room(v, TD_ITEM_MAX);
    if (!p)
        return TD_PART_FULL;
    struct td_wire_GpuNewContext item = {
        .thread = td_key_thread(v, (uint64_t)td_part_get(rows, context, TD_GPU_CONTEXT_THREAD)),
        .cpuTime = v->begin_ns,
        .gpuTime = v->begin_ns,
        .period = 1,
        .flags = td_part_get(rows, context, TD_GPU_CONTEXT_CALIBRATED) != 0,
        .context = (uint16_t)context,
        .type = type_for(v->release, td_part_get(rows, context, TD_GPU_CONTEXT_TYPE))};
    td_put_end(v, td_wire_put_GpuNewContext(p, v->release, &item));
    const double one = 1;
    int64_t bits;
    memcpy(&bits, &one, sizeof bits);
    if (td_part_get(rows, context, TD_GPU_CONTEXT_PERIOD) != bits)
        td_viewer_leave_out(v, TD_LEFT_OUT_GPU_TICKS);
    v->contexts.at[context].is_announced = true;
    return TD_PART_DONE;
}

static int send_name(struct td_viewer *v, uint32_t context, uint32_t name)
{
    uint8_t *p = td_put_room(v, 2 * TD_ITEM_MAX + td_put_text_bytes(v, name));
    if (!p)
        return TD_PART_FULL;
    p = td_put_text(v, p, name);
    td_put_end(
        v, td_wire_put_GpuContextName(p, v->release, &(struct td_wire_GpuContextName){(uint16_t)context}));
    v->contexts.at[context].name = name;
    return TD_PART_DONE;
}

static int send_note_names(struct td_viewer *v, uint32_t context)
{
    struct td_place *place = &v->contexts.at[context].note_names;
    const struct td_series *rows = td_trace_list(v->trace, TD_TABLE_GPU_NOTE_NAME, context);
    uint64_t end = td_place_end(v, place, td_series_count(rows));
    for (; place->next < end; place->next++) {
        uint32_t name = (uint32_t)td_part_get(rows, place->next, TD_GPU_NOTE_NAME_NAME);
        if (!td_wire_has(v->release, TD_ITEM_GpuAnnotationName)) {
            td_viewer_leave_out(v, TD_LEFT_OUT_GPU_NOTES);
            continue;
        }
        uint8_t *p = td_put_room(v, 2 * TD_ITEM_MAX + td_put_text_bytes(v, name));
        if (!p)
            return TD_PART_FULL;
        p = td_put_text(v, p, name);
        struct td_wire_GpuAnnotationName item = {td_part_get(rows, place->next, TD_GPU_NOTE_NAME_NOTE),
                                                 (uint16_t)context};
        td_put_end(v, td_wire_put_GpuAnnotationName(p, v->release, &item));
    }
    return TD_PART_DONE;
}

static int send_notes(struct td_viewer *v, uint32_t context, uint32_t thread)
{
    struct td_place *place = &v->contexts.at[context].notes;
    const struct td_series *rows = td_trace_list(v->trace, TD_TABLE_GPU_NOTE, context);
    uint64_t end = td_place_end(v, place, td_series_count(rows));
    for (; place->next < end; place->next++) {
        if (!td_wire_has(v->release, TD_ITEM_GpuZoneAnnotation)) {
            td_viewer_leave_out(v, TD_LEFT_OUT_GPU_NOTES);
            continue;
        }
        uint8_t *p = td_put_room(v, TD_ITEM_MAX);
        if (!p)
            return TD_PART_FULL;
        struct td_wire_GpuZoneAnnotation item = {
            .noteId = td_part_get(rows, place->next, TD_GPU_NOTE_NOTE),
            .thread = thread,
            .queryId = (uint16_t)td_part_get(rows, place->next, TD_GPU_NOTE_QUERY),
            .context = (uint16_t)context};
        int64_t bits = td_part_get(rows, place->next, TD_GPU_NOTE_VALUE);
        memcpy(&item.value, &bits, sizeof bits);
        td_put_end(v, td_wire_put_GpuZoneAnnotation(p, v->release, &item));
    }
    return TD_PART_DONE;
}

static int send_context(struct td_viewer *v, const struct td_series *rows, uint32_t context)
{
    struct td_context_place *place = &v->contexts.at[context];
    int result = TD_PART_DONE;
    if (!has_number(v, context)) {
        td_viewer_leave_out(v, TD_LEFT_OUT_GPU_CONTEXTS);
        return result;
    }
    if (!place->is_announced && (result = announce(v, rows, context)))
        return result;
    uint32_t name = (uint32_t)td_part_get(rows, context, TD_GPU_CONTEXT_NAME);
    if (name != place->name && (result = send_name(v, context, name)))
        return result;
    if ((result = send_note_names(v, context)))
        return result;
    return send_notes(v, context,
                      td_key_thread(v, (uint64_t)td_part_get(rows, context, TD_GPU_CONTEXT_THREAD)));
}

int td_part_gpu_contexts(struct td_viewer *v)
{
    const struct td_series *rows = td_trace_table(v->trace, TD_TABLE_GPU_CONTEXT);
    uint64_t end = td_place_end(v, &v->gpu_contexts, td_series_count(rows));
    int result = TD_PLACES_GROW(&v->contexts, end);
    TD_PART_EACH(v, end, result, send_context(v, rows, i));
    return result;
}

/* ---- zones ---- */

struct gpu_track {
    uint16_t context;
    uint32_t owner;  /* the context's thread; 0: each zone has its own */
    uint32_t thread; /* of the context, or of the track */
    uint32_t number;
    struct td_track_place *place;
};

/* A time that the GPU reported for a query. */
static uint8_t *put_time(struct td_viewer *v, uint8_t *p, const struct gpu_track *t, uint16_t query,
                         int64_t ns)
{
    struct td_wire_GpuTime item = {
        .gpuTime = td_put_delta(&v->gpu_time, ns), .queryId = query, .context = t->context};
    return td_wire_put_GpuTime(p, v->release, &item);
}

static uint8_t *put_gpu_begin(struct td_viewer *v, uint8_t *p, const struct gpu_track *t, int64_t cpu_ns,
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

static int begin_gpu_zone(struct td_viewer *v, const struct gpu_track *t, const struct td_series *row,
                          uint64_t index)
{
    uint32_t srcloc = (uint32_t)td_series_get(row, index, TD_ZONE_SRCLOC);
    uint32_t stack = stack_of(v, (uint64_t)td_series_get(row, index, TD_ZONE_EXTRA));
    uint32_t query = (uint32_t)td_series_get(row, index, TD_ZONE_QUERY);
    bool sent = td_key_srcloc_is_sent(v, srcloc);
    uint8_t *p = td_put_room(v, 4 * TD_ITEM_MAX + td_put_stack_room(v, stack) +
                                    (sent ? td_put_srcloc_room(v, srcloc) : 0));
    if (!p)
        return TD_PART_FULL;
    bool with_stack = stack && td_put_stack(v, &p, stack, TD_STACK_SERIAL);
    p = put_gpu_begin(v, p, t, td_series_get(row, index, TD_ZONE_CPU_START), (uint16_t)query, srcloc,
                      with_stack);
    if (!(query & TD_ZONE_NO_START))
        p = put_time(v, p, t, (uint16_t)query, td_series_get(row, index, TD_ZONE_START));
    td_put_end(v, p);
    return TD_PART_DONE;
}

static int end_gpu_zone(struct td_viewer *v, const struct gpu_track *t, const struct td_series *row,
                        uint64_t index)
{
    int64_t start_ns = td_series_get(row, index, TD_ZONE_START),
            duration = td_series_get(row, index, TD_ZONE_DURATION),
            cpu_start_ns = td_series_get(row, index, TD_ZONE_CPU_START),
            cpu_duration = td_series_get(row, index, TD_ZONE_CPU_DURATION);
    uint32_t query = (uint32_t)td_series_get(row, index, TD_ZONE_QUERY);
    uint8_t *p = td_put_room(v, 2 * TD_ITEM_MAX);
    if (!p)
        return TD_PART_FULL;
    /* A zone whose end the host never issued is ended, because others follow it. */
    struct td_wire_GpuZoneEndSerial item = {
        .cpuTime =
            td_put_delta(&v->serial_time, td_wrap_add(cpu_start_ns, cpu_duration > 0 ? cpu_duration : 0)),
        .thread = t->owner ? 0 : t->thread,
        .queryId = (uint16_t)query,
        .context = t->context};
    p = td_wire_put_GpuZoneEndSerial(p, v->release, &item);
    if (duration >= 0 && !(query & (TD_ZONE_NO_START | TD_ZONE_NO_END)))
        p = put_time(v, p, t, (uint16_t)query, td_wrap_add(start_ns, duration));
    td_put_end(v, p);
    return TD_PART_DONE;
}

/* Zones come complete, parents before their children: the zone at `depth` can get no more children when another
 * one follows it, or follows a zone around it. */
static bool is_complete(const struct td_viewer *v, const struct gpu_track *t, uint32_t depth)
{
    for (uint32_t d = depth + 1; d-- > 0 && !v->final;)
        if (t->place->rows.at[d].place.next < td_series_count(td_trace_row(v->trace, t->number, d)))
            return true;
    return v->final;
}

/* The row's place, of which the next begin or end is; *ns is its time. */
enum gpu_step { GPU_NONE, GPU_BEGIN, GPU_END };

static enum gpu_step next_gpu_step(struct td_viewer *v, const struct gpu_track *t, int64_t *ns)
{
    const struct td_track_place *track = t->place;
    uint32_t depth = track->depth;
    struct td_place *place = &track->rows.at[depth].place;
    const struct td_series *row = td_trace_row(v->trace, t->number, depth);
    bool has_next = row && place->next < td_place_end(v, place, td_series_count(row));
    const struct td_series *outer = depth ? td_trace_row(v->trace, t->number, depth - 1) : NULL;
    uint64_t parent = depth ? track->rows.at[depth - 1].place.next - 1 : 0;
    bool complete = depth && is_complete(v, t, depth - 1);
    uint64_t child_end = complete ? (uint64_t)td_series_get(outer, parent, TD_ZONE_CHILD_END) : UINT64_MAX;
    /* In a trace that is still filled the last zone of a row has not got its number of children yet. */
    if (complete && !td_trace_is_finished(v->trace) && parent + 1 == td_series_count(outer))
        child_end = row ? td_series_count(row) : 0;
    if (has_next && place->next < child_end) {
        *ns = td_series_get(row, place->next, TD_ZONE_START);
        return GPU_BEGIN;
    }
    if (!complete || place->next < child_end)
        return GPU_NONE;
    int64_t duration = td_series_get(outer, parent, TD_ZONE_DURATION);
    *ns = td_wrap_add(td_series_get(outer, parent, TD_ZONE_START), duration > 0 ? duration : 0);
    return GPU_END;
}

/* Servers take a GPU's time that is 2^31 ticks before the last one of its context for a timer that has wrapped. So
 * the tracks are sent in turns, a slice of time each. */
#define SLICE_NS INT64_C(1000000000)

/* Sends the track's begins and ends up to the end of the slice; *next_ns: the least of it and the time of the next
 * one. */
static int send_slice(struct td_viewer *v, const struct gpu_track *t, int64_t *next_ns)
{
    for (;;) {
        int64_t ns = 0;
        uint32_t depth = t->place->depth;
        int result = TD_PLACES_GROW(&t->place->rows, (size_t)depth + 1);
        if (result < 0)
            return result;
        enum gpu_step step = next_gpu_step(v, t, &ns);
        if (step != GPU_NONE && ns > v->gpu_slice_ns) {
            *next_ns = ns < *next_ns ? ns : *next_ns;
            return TD_PART_DONE;
        }
        if (step == GPU_NONE)
            return TD_PART_DONE;
        if (step == GPU_BEGIN) {
            struct td_place *place = &t->place->rows.at[depth].place;
            result = begin_gpu_zone(v, t, td_trace_row(v->trace, t->number, depth), place->next);
            place->next += !result;
            t->place->depth += !result;
        } else {
            uint64_t parent = t->place->rows.at[depth - 1].place.next - 1;
            result = end_gpu_zone(v, t, td_trace_row(v->trace, t->number, depth - 1), parent);
            t->place->depth -= !result;
        }
        if (result)
            return result;
    }
}

static int send_gpu_track(struct td_viewer *v, uint32_t number)
{
    const struct td_track *known = td_dict_get_track(v->dict, number);
    const struct td_series *contexts = td_trace_table(v->trace, TD_TABLE_GPU_CONTEXT);
    uint32_t context = known->context ? known->context - 1 : UINT32_MAX;
    if (context >= v->contexts.count || !v->contexts.at[context].is_announced)
        return TD_PART_DONE;
    uint32_t owner = td_key_thread(v, (uint64_t)td_part_get(contexts, context, TD_GPU_CONTEXT_THREAD));
    struct gpu_track t = {.context = (uint16_t)context,
                          .owner = owner,
                          .thread = owner ? owner : td_key_thread(v, known->thread),
                          .number = number,
                          .place = &v->tracks.at[number]};
    return send_slice(v, &t, &v->gpu_next_ns);
}

int td_part_gpu_zones(struct td_viewer *v)
{
    uint32_t count = td_dict_track_count(v->dict);
    int result = TD_PLACES_GROW(&v->tracks, count);
    while (!result) {
        if (!v->part_item)
            v->gpu_next_ns = INT64_MAX;
        TD_PART_EACH(v, count, result, send_gpu_track(v, i));
        if (result || v->gpu_next_ns == INT64_MAX)
            break;
        v->gpu_slice_ns = td_wrap_add(v->gpu_next_ns, SLICE_NS);
    }
    return result;
}
