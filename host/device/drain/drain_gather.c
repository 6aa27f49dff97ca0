#include "host/base/compare.h"
#include "host/base/debug_log.h"
#include "host/base/grow.h"
#include "host/device/drain/drain_internal.h"

#include <stdlib.h>
#include <string.h>

/* Slots asked for at once: enough for every lane, little enough to look after others in between. */
#define TAKE_SLOTS 65536u

void td_drain_gather_note(struct td_drain *drain, const struct td_drain_lane *lane)
{
    struct td_drain_gather *dg = &drain->gather;
    dg->fresh[dg->fresh_count++] = (struct td_gather_lane){.tile = lane->at.tile,
                                                           .lane = lane->at.index,
                                                           .ctrl_address = lane->ctrl_address,
                                                           .ring_address = lane->ring_address,
                                                           .ring_slots = drain->board->ring_slots,
                                                           .head = lane->head,
                                                           .join = lane->join};
}

int td_drain_gather_add(struct td_drain *drain, struct td_err *err)
{
    struct td_drain_gather *dg = &drain->gather;
    if (!dg->fresh_count)
        return 0;
    int rc = dg->g->ops->add(dg->g, dg->fresh, dg->fresh_count, err);
    if (rc)
        return rc;
    for (size_t i = 0; rc == 0 && i < dg->fresh_count; i++) {
        struct td_drain_lane *lane = &drain->lanes[dg->fresh[i].lane];
        lane->gathered = 1;
        rc = td_drain_lane_invite(&drain->io, lane, drain->policy, err);
    }
    dg->count += dg->fresh_count;
    dg->fresh_count = 0;
    return rc;
}

/* Defers slots: a lane's time after a gap can be read only when the gatherer is not in the middle of an
 * answer, and in virtual time the order of lanes must not depend on how they are gathered. */
static int defer_slots(struct td_drain *drain, struct td_drain_lane *lane, const uint32_t *words,
                       uint32_t slots, struct td_err *err)
{
    struct td_drain_gather *dg = &drain->gather;
    lane->deferred = 1;
    const size_t word_count = dg->word_count + 2 * (size_t)slots;
    if (td_grow(&dg->deferred, &dg->deferred_room, dg->deferred_count + 1, sizeof *dg->deferred) ||
        td_grow(&dg->words, &dg->word_room, word_count, sizeof *dg->words))
        return td_fail(err, TD_E_NOMEM, "no memory for slots after a gap");
    memcpy(dg->words + dg->word_count, words, 2 * sizeof *words * slots);
    dg->deferred[dg->deferred_count++] = (struct td_drain_deferred){lane->at.index, slots, dg->word_count};
    dg->word_count = word_count;
    return 0;
}

static int on_gathered(void *self, uint32_t number, uint32_t first_slot, const uint32_t *words, size_t slots,
                       struct td_err *err)
{
    struct td_drain *drain = self;
    struct td_drain_gather *dg = &drain->gather;
    if (number >= drain->lane_count || !drain->lanes[number].gathered)
        return td_fail(err, TD_E_FORMAT, "slots of a lane arrived that was not handed over (%u)", number);
    struct td_drain_lane *lane = &drain->lanes[number];
    uint32_t ahead = first_slot - lane->head, count = (uint32_t)slots;
    if ((int32_t)ahead < 0) { /* had before */
        uint32_t repeated = 0 - ahead < count ? 0 - ahead : count;
        words += 2 * (size_t)repeated;
        count -= repeated;
        ahead = 0;
    }
    if (count == 0)
        return 0;
    if (ahead)
        td_debug(drain, "chip %u, tile (%u,%u), %s: %u slots are missing before slot %u", lane->at.tile.chip,
                 lane->at.tile.x, lane->at.tile.y, drain->board->cores[lane->at.core].name, ahead,
                 first_slot);
    lane->missing += ahead;
    dg->lost_slots += ahead;
    lane->head += ahead + count;
    if (!lane->opened)
        td_debug(drain, "chip %u, tile (%u,%u), %s: first slots through the gatherer", lane->at.tile.chip,
                 lane->at.tile.x, lane->at.tile.y, drain->board->cores[lane->at.core].name);
    lane->opened = 1;
    if (lane->missing || lane->rejoining || lane->deferred || drain->virtual_time)
        return defer_slots(drain, lane, words, count, err);
    return td_drain_lane_hand_on(&drain->io, lane, words, count, dg->to, dg->self, err);
}

TD_COMPARE(by_lane, struct td_drain_deferred, TD_UP(lane) TD_UP(at))

int td_drain_gather_give(struct td_drain *drain, td_drain_words *words, void *self, struct td_err *err)
{
    struct td_drain_gather *dg = &drain->gather;
    int rc = 0;
    if (dg->deferred_count)
        qsort(dg->deferred, dg->deferred_count, sizeof *dg->deferred, by_lane);
    for (size_t i = 0; rc == 0 && i < dg->deferred_count; i++) {
        const struct td_drain_deferred *deferred = &dg->deferred[i];
        struct td_drain_lane *lane = &drain->lanes[deferred->lane];
        uint32_t skipped = 0;
        if (lane->rejoining)
            rc = td_drain_lane_read(&drain->io, lane, TD_LANE_skipped, &skipped, err);
        if (rc == 0 && lane->rejoining) {
            if (!td_drain_lane_skipped(&drain->io, lane, skipped))
                td_drain_say_damage(drain, lane, lane->ctrl_address + TD_LANE_skipped, 0);
            lane->rejoining = 0;
        }
        if (rc == 0)
            rc = td_drain_lane_hand_on(&drain->io, lane, dg->words + deferred->at, deferred->slots, words,
                                       self, err);
        lane->deferred = 0;
    }
    dg->deferred_count = dg->word_count = 0;
    return rc;
}

/* The gatherer has set the policy to off: a core that has left is to join again. One that has not still feeds the lane
 * under the same number, and stays if it gets its policy back before it has to wait for room. */
static int go_on(struct td_drain *drain, struct td_drain_lane *lane, struct td_err *err)
{
    uint32_t ctrl[TD_LANE_CTRL_BYTES / 4];
    int rc = drain->io.t->ops->read(drain->io.t, lane->at.tile, lane->ctrl_address, ctrl, sizeof ctrl, err);
    if (rc)
        return rc;
    /* Slots that were taken and have not arrived. */
    const uint32_t more = ctrl[TD_LANE_head / 4] - lane->head;
    if ((int32_t)more > 0) {
        lane->missing += more;
        drain->gather.lost_slots += more;
        lane->head += more;
    }
    const uint32_t joined = ctrl[TD_LANE_joined / 4];
    lane->opened |= (joined & ~TD_JOIN_LEFT) == lane->join;
    lane->disarmed = 1;
    td_drain_lane_missed(&drain->io, lane, ctrl);
    lane->rejoining = lane->left = lane->opened;
    lane->open = 0;
    if (joined != lane->join)
        lane->join = td_drain_lane_number(lane->join, joined, lane->opened);
    td_drain_gather_note(drain, lane);
    return 0;
}

int td_drain_gather_rejoin(struct td_drain *drain, struct td_err *err)
{
    struct td_drain_gather *dg = &drain->gather;
    int rc = td_transport_control(drain->io.t, TD_CONTROL_AGENT, drain->owner.agent, NULL, err);
    td_debug(drain, "the gatherer lost its lanes; all are handed over anew");
    dg->sessions = dg->g->stats.sessions;
    dg->count = dg->fresh_count = 0;
    for (size_t i = 0; rc == 0 && i < drain->lane_count; i++) {
        struct td_drain_lane *lane = &drain->lanes[i];
        if (lane->at.core == 0)
            rc = td_owner_take(&drain->owner, lane->at.tile, err);
        lane->gathered = 0;
        rc = rc ? rc : go_on(drain, lane, err);
    }
    return rc ? rc : td_drain_gather_add(drain, err);
}

int td_drain_gather_take(struct td_drain *drain, td_drain_words *words, void *self, size_t *taken,
                         struct td_err *err)
{
    struct td_drain_gather *dg = &drain->gather;
    const uint64_t before = dg->g->stats.bytes;
    *taken = 0;
    if (!dg->count)
        return 0;
    dg->to = words;
    dg->self = self;
    int rc = dg->g->ops->take(dg->g, TAKE_SLOTS, 0, on_gathered, drain, taken, err);
    drain->io.stats.bytes_read += dg->g->stats.bytes - before;
    if (rc == 0 && dg->g->stats.sessions != dg->sessions)
        rc = td_drain_gather_rejoin(drain, err);
    return rc;
}

int td_drain_gather_finish(struct td_drain *drain, td_drain_words *words, void *self, struct td_err *err)
{
    struct td_drain_gather *dg = &drain->gather;
    if (!dg->count)
        return 0;
    dg->to = words;
    dg->self = self;
    int rc = dg->g->ops->finish(dg->g, on_gathered, drain, err);
    if (rc == 0 && dg->g->stats.sessions != dg->sessions) {
        rc = td_drain_gather_rejoin(drain, err);
        rc = rc ? rc : dg->g->ops->finish(dg->g, on_gathered, drain, err);
    }
    /* What arrived before an error counts. */
    int given = td_drain_gather_give(drain, words, self, rc ? NULL : err);
    rc = rc ? rc : given;
    for (size_t i = 0; i < drain->lane_count; i++) {
        drain->lanes[i].returned = drain->lanes[i].gathered;
        drain->lanes[i].gathered = 0;
    }
    dg->count = 0;
    return rc;
}

void td_drain_gather_free(struct td_drain *drain)
{
    free(drain->gather.fresh);
    free(drain->gather.deferred);
    free(drain->gather.words);
}
