/* A fast path for runs of begins and ends of zones, the most frequent records. It makes the same items as
 * encode.c. */
#include "host/client/encode/announced.h"
#include "host/client/encode/encoder.h"
#include "host/client/encode/wire_keys.h"
#include "host/client/encode/zone_tracks.h"
#include "host/client/platform/client_api.h"
#include "host/client/queue/queue.h"
#include "host/client/queue/record.h"
#include "host/client/symbols/unloaded.h"
#include "host/wire/items.h"

/* Copies of the state that a run uses and changes, for the compiler to keep in registers. */
struct zone_run {
    const struct td_wire_release *release;
    uint8_t *p;
    int64_t last, thread_time;
    struct td_open_zone *zones; /* of the track, where nothing waits */
    uint32_t count, capacity;   /* of the zones */
    uint32_t last_zone;         /* the queue's */
    uint32_t *begun;            /* NULL, or zones that began in the session (zone_tracks.h) */
};

/* Writes one begin or end; returns the end of the item. */
static inline uint8_t *put_one(struct zone_run *run, int64_t time, int begins, uint64_t srcloc)
{
    if (time < run->last)
        time = run->last;
    run->last = time;
    int64_t delta = (int64_t)((uint64_t)time - (uint64_t)run->thread_time);
    run->thread_time = time;
    if (begins)
        return td_wire_put_short_ZoneBegin(run->p, run->release, &(struct td_wire_ZoneBegin){delta, srcloc});
    return td_wire_put_short_ZoneEnd(run->p, run->release, &(struct td_wire_ZoneEnd){delta});
}

/* Whether a record ends the zone `inner`, the innermost one (0: none is open): the number of its words, or 0. */
static inline int ends_innermost(const struct zone_run *run, const uint64_t *at, uint32_t kind,
                                 uint32_t inner)
{
    if (kind == TD_REC_ZONE_END) /* another thread may have ended the one that it is for */
        return inner && (!run->last_zone || run->last_zone == inner);
    if (kind == TD_REC_ZONE_END_OF)
        return inner && (uint32_t)at[1] == inner ? 2 : 0;
    return 0;
}

/* Writes items up to `end`; returns the number of records taken. */
static int put_run(struct td_encoder *encoder, struct td_thread_queue *queue, struct zone_run *run,
                   const uint8_t *end, int most)
{
    const uint64_t begin = (uint64_t)td_client_begin_ticks();
    const int64_t until = queue->until;
    uint64_t *at = queue->tail;
    const uint64_t *limit = td_thread_queue_limit(queue);
    if (limit - at > most) /* a record has at least one word */
        limit = at + most;
    const uint32_t first_zone =
        td_queue_zone_at(at) - (uint32_t)(uintptr_t)at; /* the same in the whole block */
    uint32_t inner = run->count ? run->zones[run->count - 1].number : 0;
    int taken = 0, words;
    while (at < limit && run->p < end) {
        uint64_t first = __atomic_load_n(at, __ATOMIC_ACQUIRE);
        uint32_t kind = (uint32_t)first & 0xff;
        int64_t time = td_rec_time(first, begin);
        if (time > until)
            break;
        if (kind == TD_REC_ZONE_BEGIN && run->count < run->capacity) {
            uint64_t srcloc =
                td_wire_key(encoder, TD_ANNOUNCED_SRCLOC, at[1], &(struct td_when){.time = time});
            td_announced_add(encoder->announced, TD_ANNOUNCED_SRCLOC, srcloc);
            run->p = put_one(run, time, 1, srcloc);
            inner = run->last_zone = first_zone + (uint32_t)(uintptr_t)at;
            if (run->begun)
                run->begun[td_begun_at(inner)] = inner;
            run->zones[run->count++] = (struct td_open_zone){run->last, inner, 0};
            *at++ = 0;
        } else if ((words = ends_innermost(run, at, kind, inner)) != 0) {
            run->p = put_one(run, time, 0, 0);
            inner = --run->count ? run->zones[run->count - 1].number : 0;
            run->last_zone = 0;
            if (words == 2)
                *at++ = 0;
        } else {
            break;
        }
        *at++ = 0;
        taken++;
    }
    queue->tail = at;
    return taken;
}

int td_encode_zones(struct td_encoder *encoder, struct td_thread_queue *queue, int most)
{
    struct td_zone_track *const track = queue->track;
    size_t room = td_packer_room(encoder->packer);
    /* After a record of the session, all are, because times do not go back. */
    if (queue->session != encoder->session || queue->last < encoder->since || queue->fiber ||
        !queue->thread || !track || track->acts || queue->thread != encoder->thread ||
        room < TD_ENCODE_ITEM_MAX)
        return 0;
    struct zone_run run = {.release = encoder->release,
                           .p = td_packer_at(encoder->packer),
                           .last = queue->last,
                           .thread_time = encoder->thread_time,
                           .zones = track->zones,
                           .count = track->count,
                           .capacity = track->capacity,
                           .last_zone = queue->last_zone,
                           .begun = encoder->tracks.begun};
    int taken = put_run(encoder, queue, &run, run.p + (room - TD_ENCODE_ITEM_MAX), most);
    if (!taken)
        return 0;
    encoder->open_zones += run.count - track->count;
    track->count = run.count;
    encoder->thread_time = run.thread_time;
    queue->last = run.last;
    queue->last_zone = run.last_zone;
    queue->hole_ms = 0;
    td_encode_put(encoder, run.p);
    return taken;
}
