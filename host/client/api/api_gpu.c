/* GPU contexts, zones and times. The C functions with and without `serial` do the same: all keep one order
 * over all threads. */
#include "host/client/api/mark.h"
#include "host/client/include/tracy/TracyC.h"
#include "host/client/platform/client_api.h"
#include "host/client/platform/pool.h"
#include "host/client/queue/compose.h"
#include "host/client/queue/queue.h"
#include "host/client/queue/records.h"
#include "host/client/symbols/stack.h"

#include <stdatomic.h>
#include <string.h>

static uint64_t place(uint16_t context, uint16_t query)
{
    return (uint64_t)query << 32 | (uint64_t)context << 48;
}

uint16_t td_client_gpu_next_context(void)
{
    static _Atomic(uint16_t) next;
    return atomic_fetch_add(&next, 1);
}

void td_client_gpu_new_context(const struct td_client_gpu_context *context)
{
    uint32_t period;
    memcpy(&period, &context->period, sizeof period);
    struct td_mark mark = {.kind = TD_REC_GPU_CONTEXT,
                           .fields = {place(context->context, 0), (uint64_t)context->gpu_time,
                                      period | (uint64_t)context->flags << 32 | (uint64_t)context->type << 40,
                                      context->thread},
                           .time = (uint64_t)context->cpu_time};
    td_mark_replayed(&mark);
}

static void zone_begin(uint16_t context, uint16_t query, uint64_t srcloc, int alloc, int depth,
                       int64_t cpu_time, uint32_t thread, const void *caller)
{
    uint64_t stack[TD_REC_STACK_MAX];
    uint32_t frames = 0;
    uint64_t *record = NULL, now = cpu_time ? (uint64_t)cpu_time : td_client_ticks();
    if (srcloc && td_client_is_live()) {
        frames = depth > 0 ? td_stack_walk(stack, depth, caller) : 0;
        record = td_reserve_ordered(4 + (frames ? 1 + frames : 0));
    }
    if (!record) {
        if (alloc)
            td_pool_free((void *)(uintptr_t)srcloc);
        return;
    }
    record[2] = srcloc;
    record[3] = thread;
    if (frames) {
        record[4] = frames;
        memcpy(record + 5, stack, 8 * (size_t)frames);
    }
    unsigned kind = alloc ? TD_REC_GPU_ZONE_BEGIN_ALLOC : TD_REC_GPU_ZONE_BEGIN;
    td_publish_ordered(record, kind | (frames ? TD_REC_STACK : 0), now, place(context, query));
}

TD_MARKER void td_client_gpu_zone_begin(uint16_t context, uint16_t query, uint64_t srcloc, int made,
                                        int depth, int64_t cpu_time, uint32_t thread)
{
    zone_begin(context, query, srcloc, made, depth, cpu_time, thread, TD_CALLER);
}

/* Writes a record with one word after its number in the order. */
static void put_gpu_word(uint32_t kind, uint16_t context, uint16_t query, uint64_t word, int64_t cpu_time)
{
    if (!td_client_is_live())
        return;
    uint64_t now = cpu_time ? (uint64_t)cpu_time : td_client_ticks(), *record = td_reserve_ordered(3);
    if (!record)
        return;
    record[2] = word;
    td_publish_ordered(record, kind, now, place(context, query));
}

void td_client_gpu_zone_end(uint16_t context, uint16_t query, int64_t cpu_time, uint32_t thread)
{
    put_gpu_word(TD_REC_GPU_ZONE_END, context, query, thread, cpu_time);
}

void td_client_gpu_annotation_name(uint16_t context, int64_t note, const char *name, size_t size)
{
    struct td_mark mark = {.kind = TD_REC_GPU_NOTE_NAME,
                           .fields = {place(context, 0), (uint64_t)note, 0},
                           .text = name,
                           .bytes = size};
    td_mark_replayed(&mark);
}

void td_client_gpu_annotation(uint16_t context, uint16_t query, int64_t note, double value)
{
    struct td_mark mark = {.kind = TD_REC_GPU_NOTE, .fields = {place(context, query), (uint64_t)note}};
    memcpy(&mark.fields[2], &value, sizeof value);
    if (td_client_is_live())
        td_mark_record(&mark);
}

/* The C functions that begin a zone of the calling thread. */
#define BEGIN(what, alloc, depth, type)                                                                      \
    TD_MARKER void ___tracy_emit_gpu_##what(const struct ___tracy_gpu_##type##_data data)                    \
    {                                                                                                        \
        zone_begin(data.context, data.queryId, data.srcloc, alloc, depth, 0, td_client_thread_id(),          \
                   TD_CALLER);                                                                               \
    }
BEGIN(zone_begin, 0, 0, zone_begin)
BEGIN(zone_begin_serial, 0, 0, zone_begin)
BEGIN(zone_begin_callstack, 0, data.depth, zone_begin_callstack)
BEGIN(zone_begin_callstack_serial, 0, data.depth, zone_begin_callstack)
BEGIN(zone_begin_alloc, 1, 0, zone_begin)
BEGIN(zone_begin_alloc_serial, 1, 0, zone_begin)
BEGIN(zone_begin_alloc_callstack, 1, data.depth, zone_begin_callstack)
BEGIN(zone_begin_alloc_callstack_serial, 1, data.depth, zone_begin_callstack)

void ___tracy_emit_gpu_zone_end(const struct ___tracy_gpu_zone_end_data data)
{
    td_client_gpu_zone_end(data.context, data.queryId, 0, td_client_thread_id());
}

void ___tracy_emit_gpu_time(const struct ___tracy_gpu_time_data data)
{
    put_gpu_word(TD_REC_GPU_TIME, data.context, data.queryId, (uint64_t)data.gpuTime, 0);
}

void ___tracy_emit_gpu_new_context(const struct ___tracy_gpu_new_context_data data)
{
    struct td_client_gpu_context context = {.gpu_time = data.gpuTime,
                                            .period = data.period,
                                            .thread = td_client_thread_id(),
                                            .context = data.context,
                                            .flags = data.flags,
                                            .type = data.type};
    td_client_gpu_new_context(&context);
}

void ___tracy_emit_gpu_context_name(const struct ___tracy_gpu_context_name_data data)
{
    td_client_gpu_context_name(data.context, data.name, data.len);
}

void td_client_gpu_context_name(uint16_t context, const char *name, size_t size)
{
    struct td_mark mark = {
        .kind = TD_REC_GPU_CONTEXT_NAME, .fields = {place(context, 0), 0}, .text = name, .bytes = size};
    td_mark_replayed(&mark);
}

void td_client_gpu_time(uint16_t context, uint16_t query, int64_t gpu_time)
{
    put_gpu_word(TD_REC_GPU_TIME, context, query, (uint64_t)gpu_time, 0);
}

void td_client_gpu_calibration(uint16_t context, int64_t gpu_time, int64_t cpu_delta, int64_t cpu_time)
{
    struct td_mark mark = {.kind = TD_REC_GPU_CALIBRATION,
                           .fields = {place(context, 0), (uint64_t)gpu_time, (uint64_t)cpu_delta},
                           .time = (uint64_t)cpu_time};
    if (td_client_is_live())
        td_mark_record(&mark);
}

void ___tracy_emit_gpu_calibration(const struct ___tracy_gpu_calibration_data data)
{
    td_client_gpu_calibration(data.context, data.gpuTime, data.cpuDelta, 0);
}

void ___tracy_emit_gpu_time_sync(const struct ___tracy_gpu_time_sync_data data)
{
    put_gpu_word(TD_REC_GPU_TIME_SYNC, data.context, 0, (uint64_t)data.gpuTime, 0);
}

#define SERIAL(what, type)                                                                                   \
    void ___tracy_emit_gpu_##what##_serial(const struct ___tracy_gpu_##type##_data data)                     \
    {                                                                                                        \
        ___tracy_emit_gpu_##what(data);                                                                      \
    }
SERIAL(zone_end, zone_end)
SERIAL(time, time)
SERIAL(new_context, new_context)
SERIAL(context_name, context_name)
SERIAL(calibration, calibration)
SERIAL(time_sync, time_sync)
