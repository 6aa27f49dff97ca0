/* GPU contexts and their notes. All are serial items, as zones of contexts are, so that a context always
 * comes before its zones. The model has the zones' times in ns already: contexts are announced with a tick of
 * 1 ns and no difference to the program's clock. */
#include "host/serve/part.h"
#include "host/wire/items.h"

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
