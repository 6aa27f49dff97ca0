/* GPU contexts and zones. All are sent as serial items, so that a context always comes before its zones. */
#include "host/client/encode/announced.h"
#include "host/client/encode/encoder.h"
#include "host/client/platform/pool.h"
#include "host/client/queue/srcloc_block.h"
#include "host/wire/items.h"

#include <stdbool.h>
#include <string.h>

#define TYPE_VULKAN      2
#define TYPE_FORK_DEVICE 6 /* in Tenstorrent's fork; Metal elsewhere */
#define TYPE_CUSTOM      7

/* A context that was sent to the peer. */
struct td_gpu {
    struct td_gpu *next;
    uint32_t thread; /* 0: each zone has a thread of its own */
    uint16_t context;
    uint64_t queries[65536 / 64]; /* a bit a query: used by a begin or end, and waits for its time */
};

void td_gpu_destroy(struct td_gpu *gpu)
{
    while (gpu) {
        struct td_gpu *next = gpu->next;
        td_pool_free(gpu);
        gpu = next;
    }
}

static struct td_gpu *find_context(const struct td_encoder *encoder, uint16_t context)
{
    struct td_gpu *gpu = encoder->gpu;
    while (gpu && gpu->context != context)
        gpu = gpu->next;
    return gpu;
}

/* The number of the context's type in the release. */
static uint8_t type_for(const struct td_wire_release *release, uint8_t type)
{
    if (td_wire_is_fork(release) && type == TD_CLIENT_GPU_TENSTORRENT)
        return TYPE_FORK_DEVICE;
    if (type >= 1 && type <= release->last_gpu_type)
        return type;
    return release->last_gpu_type >= TYPE_CUSTOM ? TYPE_CUSTOM : TYPE_VULKAN;
}

static uint8_t *put_context(struct td_encoder *encoder, uint8_t *p, const struct td_rec *rec,
                            uint16_t context)
{
    struct td_gpu *gpu = td_pool_alloc(sizeof *gpu);
    if (!gpu)
        return NULL;
    memset(gpu, 0, sizeof *gpu);
    gpu->context = context;
    gpu->thread = (uint32_t)rec->word[4];
    gpu->next = encoder->gpu;
    encoder->gpu = gpu;
    uint32_t period = (uint32_t)rec->word[3];
    struct td_wire_GpuNewContext item = {.cpuTime = rec->time,
                                         .gpuTime = (int64_t)rec->word[2],
                                         .thread = gpu->thread,
                                         .context = context,
                                         .flags = (uint8_t)(rec->word[3] >> 32),
                                         .type = type_for(encoder->release, (uint8_t)(rec->word[3] >> 40))};
    memcpy(&item.period, &period, sizeof period);
    return td_wire_put_GpuNewContext(p, encoder->release, &item);
}

static uint64_t *slot_of(struct td_gpu *gpu, uint16_t query, uint64_t *bit)
{
    *bit = UINT64_C(1) << (query & 63);
    return &gpu->queries[query >> 6];
}

/* Marks a query as used; 0: it is used already, and its time has not been sent. */
static bool take_query(struct td_gpu *gpu, uint16_t query)
{
    uint64_t bit, *slot = slot_of(gpu, query, &bit);
    if (*slot & bit)
        return 0;
    *slot |= bit;
    return 1;
}

static uint32_t *stack_of(struct td_encoder *encoder, const struct td_gpu *gpu, uint32_t thread)
{
    uint64_t key = (uint64_t)gpu->context << 32 | (gpu->thread ? 0 : thread);
    td_announced_add(encoder->announced, TD_ANNOUNCED_GPU_STACK, key);
    return td_announced_value(encoder->announced, TD_ANNOUNCED_GPU_STACK, key);
}

static int64_t serial_delta(struct td_encoder *encoder, int64_t time)
{
    int64_t delta = (int64_t)((uint64_t)time - (uint64_t)encoder->serial_time);
    encoder->serial_time = time;
    return delta;
}

static uint8_t *put_begin(struct td_encoder *encoder, uint8_t *p, struct td_gpu *gpu,
                          const struct td_thread_queue *queue, const struct td_rec *rec)
{
    const struct td_wire_release *release = encoder->release;
    uint16_t query = (uint16_t)(rec->word[1] >> 32);
    uint32_t thread = (uint32_t)rec->word[3], *depth = stack_of(encoder, gpu, thread);
    if (!depth || !take_query(gpu, query)) {
        td_encode_unmatched(encoder, queue, rec);
        return NULL;
    }
    ++*depth;
    int64_t time = serial_delta(encoder, rec->time);
    if (rec->kind == TD_REC_GPU_ZONE_BEGIN_ALLOC) {
        const struct td_srcloc_block *block = (const void *)(uintptr_t)rec->word[2];
        uint16_t count = (uint16_t)block->bytes;
        struct td_wire_SourceLocationPayload payload = {rec->word[2]};
        p = td_wire_put_SourceLocationPayload(p, release, &payload);
        memcpy(p, &count, 2);
        memcpy(p + 2, block->data, count);
        p += 2 + count;
        struct td_wire_GpuZoneBeginAllocSrcLocSerial plain = {time, thread, query, gpu->context};
        if (!rec->frames)
            return td_wire_put_GpuZoneBeginAllocSrcLocSerial(p, release, &plain);
        struct td_wire_GpuZoneBeginAllocSrcLocCallstackSerial stack = {time, thread, query, gpu->context};
        return td_wire_put_GpuZoneBeginAllocSrcLocCallstackSerial(p, release, &stack);
    }
    td_announced_add(encoder->announced, TD_ANNOUNCED_SRCLOC, rec->word[2]);
    struct td_wire_GpuZoneBeginSerial plain = {time, thread, query, gpu->context, rec->word[2]};
    if (!rec->frames)
        return td_wire_put_GpuZoneBeginSerial(p, release, &plain);
    struct td_wire_GpuZoneBeginCallstackSerial stack = {time, thread, query, gpu->context, rec->word[2]};
    return td_wire_put_GpuZoneBeginCallstackSerial(p, release, &stack);
}

static uint8_t *put_end(struct td_encoder *encoder, uint8_t *p, struct td_gpu *gpu,
                        const struct td_thread_queue *queue, const struct td_rec *rec)
{
    uint16_t query = (uint16_t)(rec->word[1] >> 32);
    uint32_t thread = gpu->thread ? 0 : (uint32_t)rec->word[2], *depth = stack_of(encoder, gpu, thread);
    if (!depth || !*depth || !take_query(gpu, query)) {
        td_encode_unmatched(encoder, queue, rec);
        return NULL;
    }
    --*depth;
    struct td_wire_GpuZoneEndSerial end = {serial_delta(encoder, rec->time), thread, query, gpu->context};
    return td_wire_put_GpuZoneEndSerial(p, encoder->release, &end);
}

static uint8_t *put_time(struct td_encoder *encoder, uint8_t *p, struct td_gpu *gpu,
                         const struct td_thread_queue *queue, const struct td_rec *rec)
{
    uint16_t query = (uint16_t)(rec->word[1] >> 32);
    uint64_t bit, *slot = slot_of(gpu, query, &bit);
    if (!(*slot & bit)) {
        td_encode_unmatched(encoder, queue, rec);
        return NULL;
    }
    *slot &= ~bit;
    struct td_wire_GpuTime item = {(int64_t)(rec->word[2] - (uint64_t)encoder->gpu_time), query,
                                   gpu->context};
    encoder->gpu_time = (int64_t)rec->word[2];
    return td_wire_put_GpuTime(p, encoder->release, &item);
}

static uint8_t *put_note(struct td_encoder *encoder, uint8_t *p, const struct td_gpu *gpu,
                         const struct td_thread_queue *queue, const struct td_rec *rec)
{
    const struct td_wire_release *release = encoder->release;
    if (!td_wire_has(release, TD_ITEM_GpuZoneAnnotation))
        return NULL;
    if (rec->kind == TD_REC_GPU_NOTE_NAME) {
        p = td_encode_text(encoder, p, rec->text, rec->bytes);
        struct td_wire_GpuAnnotationName name = {(int64_t)rec->word[2], gpu->context};
        return td_wire_put_GpuAnnotationName(p, release, &name);
    }
    struct td_wire_GpuZoneAnnotation note = {.noteId = (int64_t)rec->word[2],
                                             .thread = queue->thread,
                                             .queryId = (uint16_t)(rec->word[1] >> 32),
                                             .context = gpu->context};
    memcpy(&note.value, &rec->word[3], sizeof note.value);
    return td_wire_put_GpuZoneAnnotation(p, release, &note);
}

static uint8_t *put_clock(struct td_encoder *encoder, uint8_t *p, const struct td_gpu *gpu,
                          const struct td_rec *rec)
{
    const struct td_wire_release *release = encoder->release;
    int64_t gpu_time = (int64_t)rec->word[2];
    if (rec->kind == TD_REC_GPU_CALIBRATION) {
        struct td_wire_GpuCalibration item = {gpu_time, rec->time, (int64_t)rec->word[3], gpu->context};
        return td_wire_put_GpuCalibration(p, release, &item);
    }
    if (!td_wire_has(release, TD_ITEM_GpuTimeSync))
        return NULL;
    struct td_wire_GpuTimeSync item = {gpu_time, rec->time, gpu->context};
    return td_wire_put_GpuTimeSync(p, release, &item);
}

uint8_t *td_encode_gpu(struct td_encoder *encoder, uint8_t *p, struct td_thread_queue *queue,
                       const struct td_rec *rec)
{
    uint16_t context = (uint16_t)(rec->word[1] >> 48);
    if (encoder->release->context_bytes == 1 && context > 255) {
        encoder->lost_gpu_contexts += rec->kind == TD_REC_GPU_CONTEXT;
        return NULL;
    }
    struct td_gpu *gpu = find_context(encoder, context);
    if (!gpu == (rec->kind != TD_REC_GPU_CONTEXT)) {
        td_encode_unmatched(encoder, queue, rec);
        return NULL;
    }
    switch (rec->kind) {
    case TD_REC_GPU_CONTEXT:
        return put_context(encoder, p, rec, context);
    case TD_REC_GPU_CONTEXT_NAME:
        p = td_encode_text(encoder, p, rec->text, rec->bytes);
        return td_wire_put_GpuContextName(p, encoder->release, &(struct td_wire_GpuContextName){context});
    case TD_REC_GPU_ZONE_BEGIN:
    case TD_REC_GPU_ZONE_BEGIN_ALLOC:
        return put_begin(encoder, p, gpu, queue, rec);
    case TD_REC_GPU_ZONE_END:
        return put_end(encoder, p, gpu, queue, rec);
    case TD_REC_GPU_TIME:
        return put_time(encoder, p, gpu, queue, rec);
    case TD_REC_GPU_NOTE_NAME:
    case TD_REC_GPU_NOTE:
        return put_note(encoder, p, gpu, queue, rec);
    default:
        return put_clock(encoder, p, gpu, rec);
    }
}
