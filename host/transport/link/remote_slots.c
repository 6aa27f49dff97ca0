/* Gathered slots as they arrive: the lanes that were handed over, the requests under way, and the queue for
 * delivery. Sends no requests. */
#include "host/base/clock.h"
#include "host/base/grow.h"
#include "host/transport/link/lane_frames.h"
#include "host/transport/link/remote_internal.h"
#include "proto/device/lane.h"
#include "proto/device/packet.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 1024u
#define MIN_SLOTS   64u
#define MAX_SLOTS   16384u
#define LONG_NS     200000000 /* requests shrink when an answer takes longer than this, */
#define SHORT_NS    50000000  /* and grow when it takes less than this */
#define MAX_QUEUE   (8u << 20)
#define MAX_LANE    (1u << 22)

/* Room for `count`; new elements are zero. */
static int grow(void *array, size_t *room, size_t count, size_t size, struct td_err *err)
{
    const size_t before = *room;
    if (td_grow(array, room, count, size))
        return td_fail(err, TD_E_NOMEM, "no memory for gathered lanes");
    char *at;
    memcpy(&at, array, sizeof at);
    if (*room > before)
        memset(at + before * size, 0, (*room - before) * size);
    return 0;
}

static struct td_remote_lane *find_lane(struct td_remote_gather *rg, uint32_t lane)
{
    return lane < rg->place_count && rg->place[lane] ? &rg->lanes[rg->place[lane] - 1] : NULL;
}

int td_remote_gather_note(struct td_remote_gather *rg, const struct td_gather_lane *lane, struct td_err *err)
{
    if (lane->lane >= MAX_LANE || find_lane(rg, lane->lane))
        return td_fail(err, TD_E_USAGE, "lane %u cannot be handed over", lane->lane);
    int rc = grow(&rg->place, &rg->place_count, lane->lane + (size_t)1, sizeof *rg->place, err);
    rc = rc ? rc : grow(&rg->lanes, &rg->lane_room, rg->lane_count + 1, sizeof *rg->lanes, err);
    if (rc)
        return rc;
    rg->lanes[rg->lane_count++] = (struct td_remote_lane){*lane, lane->head};
    rg->place[lane->lane] = (uint32_t)rg->lane_count;
    return 0;
}

void td_remote_gather_forget(struct td_remote_gather *rg)
{
    for (size_t i = 0; i < rg->lane_count; i++)
        rg->place[rg->lanes[i].lane.lane] = 0;
    rg->lane_count = rg->queue_bytes = rg->take_count = 0;
    rg->said_slots = rg->got_slots = 0;
    rg->lost_takes = rg->unanswered = 0;
}

void td_remote_gather_lose(struct td_remote *r)
{
    struct td_remote_gather *rg = &r->gather;
    rg->lost = rg->lane_count > 0;
    rg->take_count = 0;
    rg->lost_takes = rg->unanswered = 0;
}

static int take_in_lanes(struct td_remote *r, struct td_err *err)
{
    struct td_remote_gather *rg = &r->gather;
    const size_t bytes = r->head.bytes;
    rg->base.stats.bytes += TD_REMOTE_HEAD_BYTES + bytes;
    rg->heard_ns = td_mono_ns();
    if (rg->lane_count == 0)
        return 1; /* of an earlier host */
    if (bytes % 4) {
        rg->base.stats.bad_frames++;
        return 1;
    }
    if (rg->queue_bytes + bytes > MAX_QUEUE)
        return td_fail(err, TD_E_FORMAT, "the probe sends more than it was asked for");
    int rc = grow(&rg->queue, &rg->queue_room, rg->queue_bytes + bytes, 1, err);
    if (rc)
        return rc;
    if (bytes) /* else there may be no queue yet */
        memcpy(rg->queue + rg->queue_bytes, td_remote_payload(r), bytes);
    rg->queue_bytes += bytes;
    return 1;
}

void td_remote_gather_drop(struct td_remote_gather *rg, size_t count)
{
    rg->take_count -= count;
    memmove(rg->takes, rg->takes + count, rg->take_count * sizeof *rg->takes);
}

static void adapt(struct td_remote_gather *rg, const struct td_remote_take *take,
                  const struct td_probe_taken *t)
{
    const int64_t took_ns = td_mono_ns() - take->sent_ns;
    if (t->slots * 2 >= take->max_slots && took_ns > LONG_NS && rg->ask_slots > MIN_SLOTS)
        rg->ask_slots /= 2;
    else if (t->more && took_ns < SHORT_NS && rg->ask_slots < MAX_SLOTS)
        rg->ask_slots *= 2;
}

/* The answer to the TAKE number i of those under way. */
static int take_answered(struct td_remote *r, size_t i, struct td_err *err)
{
    struct td_remote_gather *rg = &r->gather;
    const struct td_remote_take take = rg->takes[i];
    struct td_probe_taken taken;
    rg->lost_takes += (unsigned)i;
    rg->unanswered = 0;
    td_remote_gather_drop(rg, i + 1);
    if (r->head.status < 0)
        return td_remote_refused(r, err);
    if (r->head.bytes != sizeof taken)
        return td_fail(err, TD_E_FORMAT, "the probe's answers do not make sense");
    memcpy(&taken, td_remote_payload(r), sizeof taken);
    rg->said_slots += taken.slots;
    adapt(rg, &take, &taken);
    return 1;
}

int td_remote_gather_take_in(struct td_remote *r, struct td_err *err)
{
    struct td_remote_gather *rg = &r->gather;
    if (r->head.type == (TD_PROBE_LANES | TD_PROBE_ANSWER))
        return take_in_lanes(r, err);
    if (r->head.type != (TD_PROBE_TAKE | TD_PROBE_ANSWER))
        return 0;
    rg->heard_ns = td_mono_ns();
    rg->base.stats.bytes += TD_REMOTE_HEAD_BYTES + r->head.bytes;
    for (size_t i = 0; i < rg->take_count; i++)
        if (rg->takes[i].seq == r->head.seq)
            return take_answered(r, i, err);
    return 1; /* late */
}

void td_remote_gather_passed(struct td_remote *r, uint16_t seq)
{
    struct td_remote_gather *rg = &r->gather;
    size_t passed = 0;
    while (passed < rg->take_count && (int16_t)(seq - rg->takes[passed].seq) > 0)
        passed++;
    rg->lost_takes += (unsigned)passed;
    td_remote_gather_drop(rg, passed);
}

/* One frame of a lane. */
static int on_frame(void *self, uint32_t number, uint32_t first_slot, const uint32_t *words, size_t slots,
                    struct td_err *err)
{
    struct td_remote_gather *rg = self;
    struct td_remote_lane *l = find_lane(rg, number);
    size_t valid = 0;
    while (valid < slots && words[2 * valid] & TD_SLOT_VALID)
        valid++;
    const uint32_t ahead = l ? first_slot - l->next : 0;
    if (!l || valid < slots || (int32_t)ahead < 0) {
        rg->base.stats.bad_frames++;
        return 0;
    }
    rg->base.stats.lost_slots += ahead;
    rg->got_slots += slots;
    l->next += ahead + (uint32_t)slots;
    return rg->words(rg->self, number, first_slot, words, slots, err);
}

int td_remote_gather_deliver(struct td_remote *r, td_gather_words *words, void *self, size_t *taken,
                             struct td_err *err)
{
    struct td_remote_gather *rg = &r->gather;
    const uint64_t before = rg->got_slots;
    const size_t count = rg->queue_bytes / 4;
    size_t used;
    rg->words = words;
    rg->self = self;
    rg->queue_bytes = 0;
    rg->base.stats.bad_frames += r->link->stats.bad_frames - rg->bad_seen;
    rg->bad_seen = r->link->stats.bad_frames;
    if (count == 0)
        return 0;
    int rc = td_lane_frames((const uint32_t *)(const void *)rg->queue, count, &rg->base.stats, on_frame, rg,
                            &used, err);
    if (rc == 0 && used < count)
        rg->base.stats.bad_frames++;
    *taken += rg->got_slots - before;
    return rc;
}

void td_remote_gather_free(struct td_remote *r)
{
    free(r->gather.lanes);
    free(r->gather.place);
    free(r->gather.queue);
}

void td_remote_gather_size(struct td_remote *r)
{
    const uint32_t tenth = r->link->bytes_per_s / TD_SLOT_BYTES / 10;
    r->gather.ask_slots = tenth == 0 ? FIRST_SLOTS : tenth < MIN_SLOTS ? MIN_SLOTS : tenth;
    if (r->gather.ask_slots > FIRST_SLOTS)
        r->gather.ask_slots = FIRST_SLOTS;
}
