/* Ordered records: frames, locks, memory. */
#include "host/client/encode/announced.h"
#include "host/client/encode/encoder.h"
#include "host/client/queue/frame_image.h"
#include "host/client/queue/record.h"
#include "host/wire/items.h"

#include <stdbool.h>
#include <string.h>

#define LOCK_USERS 64u      /* threads of a lock that recorders have room for */
#define LOCK_USER  0x10000u /* the number of a TD_ANNOUNCED_LOCK counts threads in these units, holds below */

static int64_t serial_delta(struct td_encoder *encoder, int64_t time)
{
    int64_t delta = (int64_t)((uint64_t)time - (uint64_t)encoder->serial_time);
    encoder->serial_time = time;
    return delta;
}

static uint8_t *put_image(struct td_encoder *encoder, uint8_t *p, const struct td_thread_queue *queue,
                          const struct td_rec *rec)
{
    const struct td_frame_image *image = (const void *)(uintptr_t)rec->word[2];
    uint32_t bytes = (uint32_t)image->width * image->height / 2;
    int before = (int32_t)(image->frame - encoder->frame_offset) < 0; /* of before this connection */
    if (before || td_announced_has(encoder->announced, TD_ANNOUNCED_IMAGE, image->frame)) {
        td_encode_unmatched(encoder, queue, rec);
        return NULL;
    }
    td_announced_add(encoder->announced, TD_ANNOUNCED_IMAGE, image->frame);
    p = td_wire_put_FrameImageData(p, encoder->release, &(struct td_wire_FrameImageData){rec->word[2]});
    memcpy(p, &bytes, 4);
    td_frame_image_write(image, p + 4);
    struct td_wire_FrameImage item = {image->frame, image->width, image->height, image->flip};
    return td_wire_put_FrameImage(p + 4 + bytes, encoder->release, &item);
}

static uint8_t *put_frame(struct td_encoder *encoder, uint8_t *p, const struct td_thread_queue *queue,
                          const struct td_rec *rec)
{
    const struct td_wire_release *release = encoder->release;
    struct td_announced *announced = encoder->announced;
    uint64_t name = rec->word[2];
    uint32_t *open;
    if (name)
        td_announced_add(announced, TD_ANNOUNCED_FRAME_NAME, name);
    switch (rec->kind) {
    case TD_REC_FRAME:
        return td_wire_put_FrameMarkMsg(p, release, &(struct td_wire_FrameMarkMsg){rec->time, name});
    case TD_REC_FRAME_START:
        td_announced_add(announced, TD_ANNOUNCED_FRAMES, name);
        if ((open = td_announced_value(announced, TD_ANNOUNCED_FRAMES, name)) != NULL)
            *open = 1;
        return td_wire_put_FrameMarkMsgStart(p, release,
                                             &(struct td_wire_FrameMarkMsgStart){rec->time, name});
    default: /* an end without a start would end a peer's session */
        open = td_announced_value(announced, TD_ANNOUNCED_FRAMES, name);
        if (!open || !*open) {
            td_encode_unmatched(encoder, queue, rec);
            return NULL;
        }
        *open = 0;
        return td_wire_put_FrameMarkMsgEnd(p, release, &(struct td_wire_FrameMarkMsgEnd){rec->time, name});
    }
}

static uint8_t *put_announce(struct td_encoder *encoder, uint8_t *p, const struct td_rec *rec, uint32_t id)
{
    if (td_announced_has(encoder->announced, TD_ANNOUNCED_LOCK, id))
        return NULL;
    td_announced_add(encoder->announced, TD_ANNOUNCED_LOCK, id);
    td_announced_add(encoder->announced, TD_ANNOUNCED_SRCLOC, rec->word[2]);
    struct td_wire_LockAnnounce item = {id, rec->time, rec->word[2],
                                        rec->kind == TD_REC_LOCK_ANNOUNCE_SHARED};
    return td_wire_put_LockAnnounce(p, encoder->release, &item);
}

static uint64_t user_of(uint32_t lock, uint32_t thread)
{
    return (uint64_t)lock << 32 | thread;
}

/* Peers search for a wait or obtain of the mark's thread on that lock, so marks without one are left out. */
static uint8_t *put_lock_about(struct td_encoder *encoder, uint8_t *p, const struct td_thread_queue *queue,
                               const struct td_rec *rec, uint32_t id)
{
    const struct td_wire_release *release = encoder->release;
    switch (rec->kind) {
    case TD_REC_LOCK_TERMINATE:
        return td_wire_put_LockTerminate(p, release, &(struct td_wire_LockTerminate){id, rec->time});
    case TD_REC_LOCK_MARK:
        if (!td_announced_has(encoder->announced, TD_ANNOUNCED_LOCK_USER, user_of(id, queue->thread)))
            return NULL;
        td_announced_add(encoder->announced, TD_ANNOUNCED_SRCLOC, rec->word[2]);
        return td_wire_put_LockMark(p, release, &(struct td_wire_LockMark){queue->thread, id, rec->word[2]});
    default:
        p = td_encode_text(encoder, p, rec->text, rec->bytes);
        return td_wire_put_LockName(p, release, &(struct td_wire_LockName){id});
    }
}

/* Recorders keep a lock's threads in sets of 64. Events of further threads are left out and counted. */
static bool has_room_for_user(struct td_encoder *encoder, uint32_t id, uint32_t thread, int release)
{
    uint64_t user = user_of(id, thread);
    if (td_announced_has(encoder->announced, TD_ANNOUNCED_LOCK_USER, user))
        return 1;
    uint32_t *lock = td_announced_value(encoder->announced, TD_ANNOUNCED_LOCK, id);
    if (*lock / LOCK_USER == LOCK_USERS) {
        encoder->lost_lock_events++;
        return 0;
    }
    if (release) /* another thread obtained the lock */
        return 1;
    *lock += LOCK_USER;
    td_announced_add(encoder->announced, TD_ANNOUNCED_LOCK_USER, user);
    return 1;
}

static bool is_lock_shown(struct td_encoder *encoder, const struct td_thread_queue *queue,
                          const struct td_rec *rec, uint32_t id)
{
    uint32_t kind = rec->kind;
    int release = kind == TD_REC_LOCK_RELEASE || kind == TD_REC_LOCK_SHARED_RELEASE;
    if (!has_room_for_user(encoder, id, queue->thread, release))
        return 0;
    uint32_t *lock = td_announced_value(encoder->announced, TD_ANNOUNCED_LOCK, id);
    if (release && !(*lock % LOCK_USER)) { /* held since before the connection, or not at all */
        td_encode_unmatched(encoder, queue, rec);
        return 0;
    }
    if (release)
        --*lock;
    else if (kind == TD_REC_LOCK_OBTAIN || kind == TD_REC_LOCK_SHARED_OBTAIN)
        ++*lock;
    return 1;
}

static uint8_t *put_lock(struct td_encoder *encoder, uint8_t *p, const struct td_thread_queue *queue,
                         const struct td_rec *rec)
{
    const struct td_wire_release *release = encoder->release;
    uint32_t id = (uint32_t)(rec->word[1] >> 32), thread = queue->thread;
    if (rec->kind == TD_REC_LOCK_ANNOUNCE || rec->kind == TD_REC_LOCK_ANNOUNCE_SHARED)
        return put_announce(encoder, p, rec, id);
    if (!td_announced_has(encoder->announced, TD_ANNOUNCED_LOCK, id))
        return NULL;
    if (rec->kind == TD_REC_LOCK_TERMINATE || rec->kind == TD_REC_LOCK_MARK || rec->kind == TD_REC_LOCK_NAME)
        return put_lock_about(encoder, p, queue, rec, id);
    if (!is_lock_shown(encoder, queue, rec, id))
        return NULL;
    int64_t time = serial_delta(encoder, rec->time);
    switch (rec->kind) {
    case TD_REC_LOCK_WAIT:
        return td_wire_put_LockWait(p, release, &(struct td_wire_LockWait){thread, id, time});
    case TD_REC_LOCK_OBTAIN:
        return td_wire_put_LockObtain(p, release, &(struct td_wire_LockObtain){thread, id, time});
    case TD_REC_LOCK_RELEASE:
        return td_wire_put_LockRelease(p, release, &(struct td_wire_LockRelease){id, time});
    case TD_REC_LOCK_SHARED_WAIT:
        return td_wire_put_LockSharedWait(p, release, &(struct td_wire_LockSharedWait){thread, id, time});
    case TD_REC_LOCK_SHARED_OBTAIN:
        return td_wire_put_LockSharedObtain(p, release, &(struct td_wire_LockSharedObtain){thread, id, time});
    default:
        return td_wire_put_LockSharedRelease(p, release,
                                             &(struct td_wire_LockSharedRelease){id, time, thread});
    }
}

static uint8_t *put_alloc(struct td_encoder *encoder, uint8_t *p, uint32_t thread, const struct td_rec *rec,
                          int named)
{
    const struct td_wire_release *release = encoder->release;
    int64_t time = serial_delta(encoder, rec->time);
    uint64_t size = rec->word[3] < UINT64_C(1) << 48 ? rec->word[3] : (UINT64_C(1) << 48) - 1;
#define PUT(NAME)                                                                                            \
    return td_wire_put_##NAME(p, release, &(struct td_wire_##NAME){time, thread, rec->word[2], size})
    if (named && rec->frames)
        PUT(MemAllocCallstackNamed);
    if (named)
        PUT(MemAllocNamed);
    if (rec->frames)
        PUT(MemAllocCallstack);
    PUT(MemAlloc);
#undef PUT
}

static uint8_t *put_free(struct td_encoder *encoder, uint8_t *p, uint32_t thread, const struct td_rec *rec,
                         int named)
{
    const struct td_wire_release *release = encoder->release;
    int64_t time = serial_delta(encoder, rec->time);
#define PUT(NAME) return td_wire_put_##NAME(p, release, &(struct td_wire_##NAME){time, thread, rec->word[2]})
    if (named && rec->frames)
        PUT(MemFreeCallstackNamed);
    if (named)
        PUT(MemFreeNamed);
    if (rec->frames)
        PUT(MemFreeCallstack);
    PUT(MemFree);
#undef PUT
}

/* Discards of pools that the peer has not seen are left out: they break the deltas of times in Tracy's
 * servers. */
static uint8_t *put_discard(struct td_encoder *encoder, uint8_t *p, uint32_t thread, const struct td_rec *rec)
{
    const struct td_wire_release *release = encoder->release;
    if (!td_announced_has(encoder->announced, TD_ANNOUNCED_POOL, rec->word[2]))
        return NULL;
    if (!td_wire_has(release, TD_ITEM_MemDiscard)) {
        encoder->lost_discards = 1;
        return NULL;
    }
    int64_t time = serial_delta(encoder, rec->time);
    if (rec->frames)
        return td_wire_put_MemDiscardCallstack(
            p, release, &(struct td_wire_MemDiscardCallstack){time, thread, rec->word[2]});
    return td_wire_put_MemDiscard(p, release, &(struct td_wire_MemDiscard){time, thread, rec->word[2]});
}

static uint8_t *put_memory(struct td_encoder *encoder, uint8_t *p, const struct td_thread_queue *queue,
                           const struct td_rec *rec)
{
    if (rec->kind == TD_REC_MEM_DISCARD)
        return put_discard(encoder, p, queue->thread, rec);
    int given = rec->kind == TD_REC_MEM_ALLOC_AT || rec->kind == TD_REC_MEM_FREE_AT;
    int alloc = rec->kind == TD_REC_MEM_ALLOC || rec->kind == TD_REC_MEM_ALLOC_NAMED ||
                rec->kind == TD_REC_MEM_ALLOC_AT;
    unsigned named = td_record_infos[rec->kind].named;
    uint32_t thread = given ? (uint32_t)(rec->word[1] >> 32) : queue->thread;
    uint64_t pool = named ? rec->word[TD_REC_NAMED_WORD(named)] : 0;
    td_announced_add(encoder->announced, TD_ANNOUNCED_POOL, pool);
    if (given)
        td_announced_add(encoder->announced, TD_ANNOUNCED_THREAD, thread);
    if (named) {
        td_announced_add(encoder->announced, TD_ANNOUNCED_TEXT, pool);
        p = td_wire_put_MemNamePayload(p, encoder->release, &(struct td_wire_MemNamePayload){pool});
    }
    return alloc ? put_alloc(encoder, p, thread, rec, named != 0)
                 : put_free(encoder, p, thread, rec, named != 0);
}

uint8_t *td_encode_ordered(struct td_encoder *encoder, uint8_t *p, struct td_thread_queue *queue,
                           const struct td_rec *rec)
{
    if (rec->kind == TD_REC_FRAME_IMAGE)
        return put_image(encoder, p, queue, rec);
    if (rec->kind <= TD_REC_FRAME_END)
        return put_frame(encoder, p, queue, rec);
    if (rec->kind <= TD_REC_LOCK_NAME)
        return put_lock(encoder, p, queue, rec);
    if (rec->kind <= TD_REC_MEM_DISCARD || rec->kind >= TD_REC_MEM_ALLOC_AT)
        return put_memory(encoder, p, queue, rec);
    return td_encode_gpu(encoder, p, queue, rec);
}
