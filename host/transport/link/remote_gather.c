/* The gatherer of a remote transport: requests for slots are kept under way, so that a slow link is never
 * idle. Slots that have arrived are delivered when the host asks for them. */
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/transport/link/remote_internal.h"
#include "proto/device/lane.h"
#include "proto/device/packet.h"

#define WAIT_MS        100 /* the probe waits up to this time for the first slot, then answers */
#define OVERDUE_NS     INT64_C(1000000000)
#define MAX_UNANSWERED 4
#define FINISH_ROUNDS  100000

static struct td_remote *remote_of(struct td_gather *g)
{
    return (struct td_remote *)(void *)((char *)g - offsetof(struct td_remote, gather.base));
}

static int gather_add(struct td_gather *g, const struct td_gather_lane *lanes, size_t count,
                      struct td_err *err)
{
    struct td_remote *r = remote_of(g);
    struct td_probe_lane message[TD_PROBE_MAX_BYTES / sizeof(struct td_probe_lane)];
    const size_t most = (r->max_bytes - TD_REMOTE_HEAD_BYTES) / sizeof *message;
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
                                                .head = l->head,
                                                .join = l->join};
            rc = td_remote_gather_note(&r->gather, l, err);
        }
        if (rc == 0 && !r->gather.lost) /* else all lanes are handed over anew */
            rc = td_remote_ask(r, TD_PROBE_GATHER, message, n * sizeof *message, NULL, 0, NULL, 0, 0, NULL,
                               err);
    }
    return rc;
}

static int send_take(struct td_remote *r, int wait_ms, struct td_err *err)
{
    struct td_remote_gather *rg = &r->gather;
    struct td_remote_take *take = &rg->takes[rg->take_count];
    const struct td_probe_take ask = {rg->ask_slots, (uint32_t)wait_ms};
    *take = (struct td_remote_take){0, ask.max_slots, td_mono_ns()};
    int rc = td_remote_send(r, TD_PROBE_TAKE, &take->seq, &ask, sizeof ask, NULL, 0, err);
    rg->base.stats.bytes += TD_REMOTE_HEAD_BYTES + sizeof ask;
    if (rc == 0)
        rg->take_count++;
    return rc;
}

/* Forgets requests whose answers are overdue. */
static int drop_overdue(struct td_remote *r, struct td_err *err)
{
    struct td_remote_gather *rg = &r->gather;
    const int64_t now = td_mono_ns(), since = rg->take_count ? rg->takes[0].sent_ns : now;
    const int64_t last = rg->heard_ns > since ? rg->heard_ns : since;
    if (now - last < OVERDUE_NS + WAIT_MS * INT64_C(1000000))
        return 0;
    td_debug(probe, "%s: %zu requests for slots are overdue; asking again", r->ops.name, rg->take_count);
    rg->lost_takes += (unsigned)rg->take_count;
    rg->unanswered++;
    td_remote_gather_drop(rg, rg->take_count);
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

/* Delivers the last slots of a session that has ended. */
static int deliver_last(struct td_remote *r, td_gather_words *words, void *self, size_t *taken,
                        struct td_err *err)
{
    int rc = td_remote_gather_deliver(r, words, self, taken, err);
    td_remote_gather_forget(&r->gather);
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

/* With virtual time the caller needs all slots of this moment: sends one request and waits for its answer. */
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
        return deliver_last(r, words, self, taken, err);
    /* What arrived before an error counts. */
    int handed = td_remote_gather_deliver(r, words, self, taken, rc < 0 ? NULL : err);
    if (rc < 0)
        return td_fail(err, rc, "%s", why.text);
    if (handed == 0 && !r->virtual_time)
        handed = keep_asking(r, err);
    return handed;
}

/* Counts lost slots at the end of lanes: no later slot number shows them, only the lane's head does. */
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
            return rc ? rc : deliver_last(r, words, self, &slots, err);
        if (rc == 0)
            rg->said_slots += taken.slots;
        int handed = td_remote_gather_deliver(r, words, self, &slots, rc ? NULL : err);
        rc = rc ? rc : handed;
    }
    td_debug(probe, "%s: gathering ends: %llu slots announced, %llu arrived, %u answers lost", r->ops.name,
             (unsigned long long)rg->said_slots, (unsigned long long)rg->got_slots, rg->lost_takes);
    const int all =
        rg->lost_takes == 0 && rg->said_slots == rg->got_slots && rg->bad_before == r->link->stats.bad_frames;
    if (rc == 0 && !all)
        rc = count_missing(r, err);
    td_remote_gather_forget(rg);
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
    r->gather.base.ops = &gather_ops;
    td_remote_gather_size(r);
}
