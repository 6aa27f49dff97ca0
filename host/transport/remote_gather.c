/* Gathered slots on their way from a probe: requests are kept under way, so that a slow link is never idle;
 * what arrives is checked, counted, and handed on when the host asks. */
#include "host/base/clock.h"
#include "host/base/grow.h"
#include "host/transport/lane_frames.h"
#include "host/transport/remote_parts.h"
#include "proto/device/lane.h"
#include "proto/device/packet.h"

#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES     sizeof(struct td_probe_head)
#define FIRST_SLOTS    1024u
#define MIN_SLOTS      64u
#define MAX_SLOTS      16384u
#define LONG_NS        200000000 /* an answer should not take longer than that, */
#define SHORT_NS       50000000  /* and may grow while it takes less than this */
#define WAIT_MS        100 /* how long the probe may wait for the first slot: often enough to know that it lives */
#define OVERDUE_NS     INT64_C(1000000000)
#define MAX_QUEUE      (8u << 20)
#define MAX_LANE       (1u << 22)
#define MAX_UNANSWERED 4
#define FINISH_ROUNDS  100000

static struct td_remote *remote_of(struct td_gather *g)
{
    return (struct td_remote *)(void *)((char *)g - offsetof(struct td_remote, gather.base));
}

void td_remote_gather_free(struct td_remote *r)
{
    free(r->gather.lanes);
    free(r->gather.place);
    free(r->gather.queue);
}

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

static int note_lane(struct td_remote_gather *rg, const struct td_gather_lane *lane, struct td_err *err)
{
    if (lane->lane >= MAX_LANE || find_lane(rg, lane->lane))
        return td_fail(err, TD_E_USAGE, "lane %u cannot be handed over", lane->lane);
    int rc = grow(&rg->place, &rg->place_count, lane->lane + (size_t)1, sizeof *rg->place, err);
    if (rc == 0)
        rc = grow(&rg->lanes, &rg->lane_room, rg->lane_count + 1, sizeof *rg->lanes, err);
    if (rc)
        return rc;
    rg->lanes[rg->lane_count++] = (struct td_remote_lane){*lane, lane->head};
    rg->place[lane->lane] = (uint32_t)rg->lane_count;
    return 0;
}

static void forget_lanes(struct td_remote_gather *rg)
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

static int gather_add(struct td_gather *g, const struct td_gather_lane *lanes, size_t count,
                      struct td_err *err)
{
    struct td_remote *r = remote_of(g);
    struct td_probe_lane message[TD_PROBE_MAX_BYTES / sizeof(struct td_probe_lane)];
    const size_t most = (r->max_bytes - HEAD_BYTES) / sizeof *message;
    int rc = 0;
    if (r->gather.lane_count == 0)
        r->gather.bad_before = r->link->stats.bad_frames;
    for (size_t done = 0, n; rc == 0 && done < count; done += n) {
        n = count - done < most ? count - done : most;
        for (size_t i = 0; rc == 0 && i < n; i++) {
            const struct td_gather_lane *l = &lanes[done + i];
            message[i] = (struct td_probe_lane){.chip = l->tile.chip,
                                                .x = l->tile.x,
                                                .y = l->tile.y,
                                                .lane = l->lane,
                                                .ctrl_address = l->ctrl_address,
                                                .ring_address = l->ring_address,
                                                .ring_slots = l->ring_slots,
                                                .head = l->head};
            rc = note_lane(&r->gather, l, err);
        }
        if (rc == 0 && !r->gather.lost) /* else all lanes are handed over anew */
            rc = td_remote_ask(r, TD_PROBE_GATHER, message, n * sizeof *message, NULL, 0, NULL, 0, 0, NULL,
                               err);
    }
    return rc;
}

static int take_in_lanes(struct td_remote *r, struct td_err *err)
{
    struct td_remote_gather *rg = &r->gather;
    const size_t bytes = r->head.bytes;
    rg->base.stats.bytes += HEAD_BYTES + bytes;
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

/* Answers come in the order of requests: those before the one at `count` will not come any more. */
static void drop_takes(struct td_remote_gather *rg, size_t count)
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
    drop_takes(rg, i + 1);
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
    rg->base.stats.bytes += HEAD_BYTES + r->head.bytes;
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
    drop_takes(rg, passed);
}

static int send_take(struct td_remote *r, int wait_ms, struct td_err *err)
{
    struct td_remote_gather *rg = &r->gather;
    struct td_remote_take *take = &rg->takes[rg->take_count];
    const struct td_probe_take ask = {rg->ask_slots, (uint32_t)wait_ms};
    *take = (struct td_remote_take){0, ask.max_slots, td_mono_ns()};
    int rc = td_remote_send(r, TD_PROBE_TAKE, &take->seq, &ask, sizeof ask, NULL, 0, err);
    rg->base.stats.bytes += HEAD_BYTES + sizeof ask;
    if (rc == 0)
        rg->take_count++;
    return rc;
}

/* Requests or answers that got lost are not waited for. */
static int drop_overdue(struct td_remote *r, struct td_err *err)
{
    struct td_remote_gather *rg = &r->gather;
    const int64_t now = td_mono_ns(), since = rg->take_count ? rg->takes[0].sent_ns : now;
    const int64_t last = r->heard_ns > since ? r->heard_ns : since;
    if (now - last < OVERDUE_NS + WAIT_MS * INT64_C(1000000))
        return 0;
    rg->lost_takes += (unsigned)rg->take_count;
    rg->unanswered++;
    drop_takes(rg, rg->take_count);
    if (rg->unanswered < MAX_UNANSWERED && r->link->lossy)
        return 0;
    rg->unanswered = 0;
    return td_remote_ask(r, TD_PROBE_PING, NULL, 0, NULL, 0, NULL, 0, 0, NULL, err);
}

static int keep_asking(struct td_remote *r, struct td_err *err)
{
    int rc = drop_overdue(r, err);
    while (rc == 0 && r->gather.take_count < TD_REMOTE_DEPTH)
        rc = send_take(r, WAIT_MS, err);
    return rc;
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

/* Hands on what is here; *taken grows by it. */
static int hand_on(struct td_remote *r, td_gather_words *words, void *self, size_t *taken, struct td_err *err)
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

/* The last words of a session that is over. */
static int hand_on_last(struct td_remote *r, td_gather_words *words, void *self, size_t *taken,
                        struct td_err *err)
{
    int rc = hand_on(r, words, self, taken, err);
    forget_lanes(&r->gather);
    r->gather.lost = 0;
    r->gather.base.stats.sessions++;
    return rc;
}

int td_remote_gather_wait(struct td_remote *r, int timeout_ms, struct td_err *err)
{
    const int64_t until = td_mono_ns() + (int64_t)timeout_ms * 1000000;
    for (;;) {
        if (r->gather.lost)
            return 1;
        int rc = keep_asking(r, err);
        if (rc)
            return rc;
        if (r->gather.queue_bytes)
            return 1;
        int64_t left_ms = (until - td_mono_ns()) / 1000000;
        rc = td_remote_pump(r, left_ms > WAIT_MS ? WAIT_MS : left_ms < 0 ? 0 : (int)left_ms, err);
        if (rc < 0)
            return rc;
        if (rc == TD_REMOTE_NOTHING && left_ms <= 0)
            return r->gather.queue_bytes != 0;
    }
}

/* With virtual time, slots are taken now or not at all: one request, and its answer is waited for. */
static int take_now(struct td_remote *r, int wait_ms, struct td_err *err)
{
    struct td_remote_gather *rg = &r->gather;
    const uint64_t said = rg->said_slots;
    while (rg->queue_bytes == 0 && rg->said_slots == said) {
        int rc = send_take(r, wait_ms, err);
        while (rc >= 0 && rg->take_count) {
            rc = td_remote_pump(r, WAIT_MS, err);
            if (rc >= 0 && rg->take_count) {
                int late = drop_overdue(r, err);
                rc = late ? late : rc;
            } else if (rc >= 0) {
                return 0;
            }
        }
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int gather_take(struct td_gather *g, uint32_t max_slots, int wait_ms, td_gather_words *words,
                       void *self, size_t *taken, struct td_err *err)
{
    struct td_remote *r = remote_of(g);
    *taken = 0;
    struct td_err why = {0};
    if (r->gather.lane_count == 0)
        return 0;
    int rc = r->gather.lost    ? 0
             : r->virtual_time ? take_now(r, wait_ms, &why)
                               : td_remote_gather_wait(r, wait_ms, &why);
    /* More may be here already. */
    while (rc > 0 && r->gather.queue_bytes / TD_SLOT_BYTES < max_slots) {
        rc = td_remote_pump(r, 0, &why);
        if (rc == TD_REMOTE_NOTHING)
            break;
    }
    if (rc == TD_E_GONE && td_remote_come_back(r))
        rc = 0;
    if (rc >= 0 && r->gather.lost)
        return hand_on_last(r, words, self, taken, err);
    /* What arrived before an error counts. */
    int handed = hand_on(r, words, self, taken, rc < 0 ? NULL : err);
    if (rc < 0)
        return td_fail(err, rc, "%s", why.text);
    if (handed == 0 && !r->virtual_time)
        handed = keep_asking(r, err);
    return handed;
}

/* Slots that nothing has followed on their lane: only the lane itself tells that they are missing. */
static int count_missing(struct td_remote *r, struct td_err *err)
{
    struct td_remote_gather *rg = &r->gather;
    for (size_t i = 0; i < rg->lane_count; i++) {
        const struct td_gather_lane *l = &rg->lanes[i].lane;
        uint32_t head;
        int rc =
            r->base.ops->read(&r->base, l->tile, l->ctrl_address + (uint64_t)TD_LANE_head, &head, 4, err);
        if (rc)
            return rc;
        if ((int32_t)(head - rg->lanes[i].next) > 0)
            rg->base.stats.lost_slots += head - rg->lanes[i].next;
    }
    return 0;
}

static int gather_finish(struct td_gather *g, td_gather_words *words, void *self, struct td_err *err)
{
    struct td_remote *r = remote_of(g);
    struct td_remote_gather *rg = &r->gather;
    struct td_probe_taken taken = {0, 1};
    size_t slots = 0;
    int rc = 0;
    if (rg->lane_count == 0)
        return 0;
    for (int i = 0; rc == 0 && taken.more && i < FINISH_ROUNDS; i++) {
        const struct td_probe_take ask = {rg->ask_slots, 0};
        rc = td_remote_ask(r, TD_PROBE_FINISH, &ask, sizeof ask, NULL, 0, &taken, sizeof taken, sizeof taken,
                           NULL, err);
        if (rg->lost)
            return rc ? rc : hand_on_last(r, words, self, &slots, err);
        if (rc == 0)
            rg->said_slots += taken.slots;
        int handed = hand_on(r, words, self, &slots, rc ? NULL : err);
        rc = rc ? rc : handed;
    }
    const int all =
        rg->lost_takes == 0 && rg->said_slots == rg->got_slots && rg->bad_before == r->link->stats.bad_frames;
    if (rc == 0 && !all)
        rc = count_missing(r, err);
    forget_lanes(rg);
    return rc;
}

int td_remote_gather_hush(struct td_remote *r, struct td_err *err)
{
    if (r->gather.take_count == 0)
        return 0;
    return td_remote_ask(r, TD_PROBE_PING, NULL, 0, NULL, 0, NULL, 0, 0, NULL, err);
}

static const struct td_gather_ops gather_ops = {
    .add = gather_add, .take = gather_take, .finish = gather_finish};

void td_remote_gather_init(struct td_remote *r)
{
    const uint32_t tenth = r->link->bytes_per_s / TD_SLOT_BYTES / 10;
    r->gather.base.ops = &gather_ops;
    r->gather.ask_slots = tenth == 0 ? FIRST_SLOTS : tenth < MIN_SLOTS ? MIN_SLOTS : tenth;
    if (r->gather.ask_slots > FIRST_SLOTS)
        r->gather.ask_slots = FIRST_SLOTS;
}
