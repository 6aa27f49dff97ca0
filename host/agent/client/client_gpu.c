/* GPU contexts: clocks, names, begins and ends of zones, notes. */
#include "host/agent/client/client_internal.h"
#include "host/base/grow.h"
#include "host/base/wrap.h"

#define TYPE_OF_FORK 6 /* a device of Tenstorrent, in the fork's protocol */

static int failure(const struct td_client_stream *stream)
{
    return stream->err.code ? stream->err.code : TD_E_NOMEM;
}

/* The context's index. Makes it if needed: items from other queues may come before its
 * announcement. TD_NO_NUMBER: no memory, or the sinks' error. */
static uint32_t find_context(struct td_client_stream *stream, uint32_t id)
{
    struct td_stream_gpu *g = &stream->gpu;
    uint32_t index = td_map_get(&g->by_id, id, TD_NO_NUMBER);
    if (index != TD_NO_NUMBER)
        return index;
    double period = 1;
    int64_t row[TD_GPU_CONTEXT_COLUMN_COUNT] = {[TD_GPU_CONTEXT_TYPE] = 2};
    memcpy(&row[TD_GPU_CONTEXT_PERIOD], &period, sizeof period);
    if (TD_LIST_ROOM(&g->contexts) < 0)
        return TD_NO_NUMBER;
    int64_t added = td_stream_row(stream, TD_TABLE_GPU_CONTEXT, 0, row);
    if (added < 0 || td_map_add(&g->by_id, id, (uint32_t)g->contexts.count) < 0)
        return TD_NO_NUMBER;
    g->contexts.at[g->contexts.count] = (struct td_stream_gpu_context){
        .row = (uint32_t)added, .whole_ns = 1, .early_row = TD_NO_NUMBER, .period = 1, .mod = 1};
    return (uint32_t)g->contexts.count++;
}

static int set_context(struct td_client_stream *stream, uint32_t context, unsigned column, int64_t value)
{
    const uint32_t row = stream->gpu.contexts.at[context].row;
    return td_stream_set(stream, TD_TABLE_GPU_CONTEXT, 0, row, column, value);
}

/* As an integer; values out of range become the nearest in it. */
static int64_t whole(double value)
{
    if (!(value > -9e18))
        return INT64_C(-9000000000000000000);
    return value < 9e18 ? (int64_t)value : INT64_C(9000000000000000000);
}

static int64_t to_ns(const struct td_stream_gpu_context *c, int64_t gpu)
{
    return c->whole_ns ? gpu : whole(c->period * (double)gpu);
}

int td_take_gpu_context(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_GpuNewContext item = TD_GET(GpuNewContext);
    uint32_t index = find_context(stream, item.context);
    if (index == TD_NO_NUMBER)
        return failure(stream);
    struct td_stream_gpu_context *c = &stream->gpu.contexts.at[index];
    double period = item.period;
    if (c->announced || !(period > 0 && period < 1e12)) {
        stream->counts.ignored++;
        return 0;
    }
    c->announced = 1;
    c->calibrated = item.flags & 1;
    c->thread = item.thread;
    c->period = period;
    c->whole_ns = item.period == 1.f;
    c->calibrated_gpu = to_ns(c, item.gpuTime);
    c->calibrated_cpu_ns = td_stream_signed_ns(stream, item.cpuTime);
    c->diff_ns = td_wrap_add(c->calibrated_cpu_ns, -c->calibrated_gpu);
    int fork = td_wire_is_fork(stream->release) && item.type == TYPE_OF_FORK;
    int64_t bits;
    memcpy(&bits, &period, sizeof bits);
    int bad = set_context(stream, index, TD_GPU_CONTEXT_THREAD, item.thread);
    bad = bad ? bad : set_context(stream, index, TD_GPU_CONTEXT_CALIBRATED, c->calibrated);
    bad = bad ? bad : set_context(stream, index, TD_GPU_CONTEXT_PERIOD, bits);
    return bad ? bad : set_context(stream, index, TD_GPU_CONTEXT_TYPE, fork ? TD_GPU_TENSTORRENT : item.type);
}

int td_take_gpu_context_name(struct td_client_stream *stream, const struct td_wire_view *view)
{
    uint32_t index = find_context(stream, TD_GET(GpuContextName).context), text;
    if (index == TD_NO_NUMBER || td_stream_text(stream, &text) != 0)
        return failure(stream);
    return set_context(stream, index, TD_GPU_CONTEXT_NAME, text);
}

int td_take_gpu_calibration(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_GpuCalibration item = TD_GET(GpuCalibration);
    uint32_t index = find_context(stream, item.context);
    if (index == TD_NO_NUMBER)
        return failure(stream);
    struct td_stream_gpu_context *c = &stream->gpu.contexts.at[index];
    int64_t gpu = to_ns(c, item.gpuTime), since = td_wrap_add(gpu, -c->calibrated_gpu);
    if (!since || !c->calibrated) {
        stream->counts.ignored++;
        return 0;
    }
    c->mod = (double)item.cpuDelta / (double)since;
    c->calibrated_gpu = gpu;
    c->calibrated_cpu_ns = td_stream_signed_ns(stream, item.cpuTime);
    return 0;
}

int td_take_gpu_sync(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_GpuTimeSync item = TD_GET(GpuTimeSync);
    uint32_t index = find_context(stream, item.context);
    if (index == TD_NO_NUMBER)
        return failure(stream);
    struct td_stream_gpu_context *c = &stream->gpu.contexts.at[index];
    c->diff_ns = td_wrap_add(td_stream_signed_ns(stream, item.cpuTime), -to_ns(c, item.gpuTime));
    c->last = c->overflow = 0;
    c->wraps = 0;
    return 0;
}

/* A timer that goes back by much has wrapped: at the first power of two above its last value. */
static int64_t unwrap(struct td_stream_gpu_context *c, int64_t raw, int *wrapped)
{
    *wrapped = 0;
    if (raw < td_wrap_add(c->last, -INT64_C(0x80000000)) && c->last > 0) {
        if (!c->overflow && c->last < INT64_MAX / 4) {
            c->overflow = INT64_C(1) << (64 - __builtin_clzll((uint64_t)c->last));
            *wrapped = 1;
        }
        c->wraps++;
    }
    c->last = raw;
    return (int64_t)((uint64_t)raw + (uint64_t)c->overflow * c->wraps);
}

static int64_t time_of(const struct td_stream_gpu_context *c, int64_t raw)
{
    if (!c->calibrated)
        return td_wrap_add(to_ns(c, raw), c->diff_ns);
    double gpu = c->whole_ns ? (double)td_wrap_add(raw, -c->calibrated_gpu)
                             : c->period * (double)raw - (double)c->calibrated_gpu;
    return whole(gpu * c->mod + (double)c->calibrated_cpu_ns);
}

int td_take_gpu_time(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_GpuTime item = TD_GET(GpuTime);
    int64_t raw = td_stream_advance(&stream->gpu_time, item.gpuTime);
    uint32_t index = find_context(stream, item.context);
    int wrapped, bad = 0;
    if (index == TD_NO_NUMBER)
        return failure(stream);
    struct td_stream_gpu_context *c = &stream->gpu.contexts.at[index];
    raw = unwrap(c, raw, &wrapped);
    if (wrapped)
        bad = set_context(stream, index, TD_GPU_CONTEXT_OVERFLOW, c->overflow);
    return bad ? bad : td_stream_gpu_time(stream, index, item.queryId, time_of(c, raw));
}

/* ---- zones ---- */

int td_take_gpu_begin(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_GpuZoneBeginAllocSrcLoc item =
        TD_GET(GpuZoneBeginAllocSrcLoc); /* all begin items begin like it */
    int serial = td_wire_item_infos[view->item].clock == TD_CLOCK_SERIAL;
    int64_t *clock = serial ? &stream->serial_time : &stream->thread_time;
    struct td_stream_gpu_begin begin = {.thread = item.thread, .query = item.queryId};
    int with_stack = 0;
    begin.cpu_ns = td_stream_event_ns(stream, td_stream_advance(clock, item.cpuTime));
    switch (view->item) {
    case TD_ITEM_GpuZoneBeginCallstack:
    case TD_ITEM_GpuZoneBeginCallstackSerial:
        with_stack = 1; /* fall through */
    case TD_ITEM_GpuZoneBegin:
    case TD_ITEM_GpuZoneBeginSerial:
        begin.srcloc = td_names_see(&stream->names, TD_NAME_SRCLOC, TD_GET(GpuZoneBegin).srcloc);
        break;
    default:
        with_stack = view->item == TD_ITEM_GpuZoneBeginAllocSrcLocCallstack ||
                     view->item == TD_ITEM_GpuZoneBeginAllocSrcLocCallstackSerial;
        begin.allocated = 1;
        begin.srcloc = stream->have_srcloc ? stream->srcloc : 0;
        stream->have_srcloc = 0;
    }
    begin.context = find_context(stream, item.context);
    if (begin.srcloc == TD_NO_NUMBER || begin.context == TD_NO_NUMBER)
        return failure(stream);
    if (with_stack && serial) {
        begin.stack = td_stream_stack_row(stream, stream->serial_stack);
        stream->serial_stack = 0;
    } else if (with_stack) {
        begin.stack = td_stream_take_stack(stream);
    }
    return td_stream_gpu_zone_begin(stream, &begin);
}

int td_take_gpu_end(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_GpuZoneEnd item = TD_GET(GpuZoneEnd); /* the two items have the same layout */
    int serial = td_wire_item_infos[view->item].clock == TD_CLOCK_SERIAL;
    int64_t ticks = td_stream_advance(serial ? &stream->serial_time : &stream->thread_time, item.cpuTime);
    uint32_t context = find_context(stream, item.context);
    if (context == TD_NO_NUMBER)
        return failure(stream);
    return td_stream_gpu_end(stream, context, item.thread, item.queryId, td_stream_event_ns(stream, ticks));
}

/* ---- notes ---- */

int td_take_gpu_note_name(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_GpuAnnotationName item = TD_GET(GpuAnnotationName);
    uint32_t context = find_context(stream, item.context), text;
    if (context == TD_NO_NUMBER || td_stream_text(stream, &text) != 0)
        return failure(stream);
    const int64_t row[TD_GPU_NOTE_NAME_COLUMN_COUNT] = {item.noteId, text};
    int64_t added = td_stream_row(stream, TD_TABLE_GPU_NOTE_NAME, stream->gpu.contexts.at[context].row, row);
    return added < 0 ? (int)added : 0;
}

int td_take_gpu_note(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_GpuZoneAnnotation item = TD_GET(GpuZoneAnnotation);
    uint32_t context = find_context(stream, item.context);
    if (context == TD_NO_NUMBER)
        return failure(stream);
    int64_t row[TD_GPU_NOTE_COLUMN_COUNT] = {
        [TD_GPU_NOTE_QUERY] = item.queryId, [TD_GPU_NOTE_NOTE] = item.noteId};
    memcpy(&row[TD_GPU_NOTE_VALUE], &item.value, sizeof item.value);
    int64_t added = td_stream_row(stream, TD_TABLE_GPU_NOTE, stream->gpu.contexts.at[context].row, row);
    return added < 0 ? (int)added : 0;
}
