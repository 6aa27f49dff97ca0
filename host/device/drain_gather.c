#include "host/device/drain_parts.h"

#include <stdlib.h>
#include <string.h>

/* Slots asked for at once: enough for every lane, little enough to look after others in between. */
#define TAKE_SLOTS 65536u
#define LATE_WORDS 16384u /* room for late slots grows by so much */

void td_drain_gather_note(struct td_drain *drain, const struct td_drain_lane *lane)
{
    struct td_drain_gather *dg = &drain->gather;
    dg->fresh[dg->fresh_count++] = (struct td_gather_lane){.tile = lane->at.tile,
                                                           .lane = lane->at.index,
                                                           .ctrl_address = lane->ctrl_address,
                                                           .ring_address = lane->ring_address,
                                                           .ring_slots = drain->board->ring_slots,
                                                           .head = lane->head};
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
        rc = td_drain_lane_policy(&drain->io, lane, drain->policy, err);
    }
    dg->count += dg->fresh_count;
    dg->fresh_count = 0;
    return rc;
}

/* For later: where a lane's time stands behind a gap can be asked only when the gatherer is not in the middle
 * of an answer; and in virtual time lanes come in the same order however they are gathered. */
static int keep_late(struct td_drain *drain, struct td_drain_lane *lane, const uint32_t *words,
                     uint32_t slots, struct td_err *err)
{
    struct td_drain_gather *dg = &drain->gather;
    lane->late = 1;
    if (dg->late_count == dg->late_room) {
        size_t room = dg->late_room ? 2 * dg->late_room : 64;
        struct td_drain_late *more = realloc(dg->late, room * sizeof *more);
        if (!more)
            return td_fail(err, TD_E_NOMEM, "no memory for slots behind a gap");
        dg->late = more;
        dg->late_room = room;
    }
    if (dg->word_count + 2 * (size_t)slots > dg->word_room) {
        size_t room = dg->word_count + 2 * (size_t)slots + LATE_WORDS;
        uint32_t *more = realloc(dg->words, room * sizeof *more);
        if (!more)
            return td_fail(err, TD_E_NOMEM, "no memory for slots behind a gap");
        dg->words = more;
        dg->word_room = room;
    }
    memcpy(dg->words + dg->word_count, words, 2 * sizeof *words * slots);
    dg->late[dg->late_count++] = (struct td_drain_late){lane->at.index, slots, dg->word_count};
    dg->word_count += 2 * (size_t)slots;
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
        uint32_t again = 0 - ahead < count ? 0 - ahead : count;
        words += 2 * (size_t)again;
        count -= again;
        ahead = 0;
    }
    if (count == 0)
        return 0;
    lane->missing += ahead;
    dg->lost_slots += ahead;
    lane->head += ahead + count;
    if (lane->missing || lane->late || drain->virtual_time)
        return keep_late(drain, lane, words, count, err);
    return td_drain_hand_on(drain, lane, words, count, dg->to, dg->self, err);
}

static int by_lane(const void *left, const void *right)
{
    const struct td_drain_late *a = left, *b = right;
    if (a->lane != b->lane)
        return a->lane < b->lane ? -1 : 1;
    return a->at < b->at ? -1 : 1;
}

/* The slots that were kept, now that nobody is in the middle of anything. */
static int give_late(struct td_drain *drain, td_drain_words *words, void *self, struct td_err *err)
{
    struct td_drain_gather *dg = &drain->gather;
    int rc = 0;
    if (dg->late_count)
        qsort(dg->late, dg->late_count, sizeof *dg->late, by_lane);
    for (size_t i = 0; rc == 0 && i < dg->late_count; i++) {
        const struct td_drain_late *late = &dg->late[i];
        struct td_drain_lane *lane = &drain->lanes[late->lane];
        if (lane->missing) {
            lane->at.gap = 1;
            lane->at.missing = lane->missing;
            lane->missing = 0;
            rc = drain->io.t->ops->read(drain->io.t, lane->at.tile, lane->ctrl_address + TD_LANE_time_high,
                                        &lane->at.time_high, 4, err);
        }
        if (rc == 0)
            rc = td_drain_hand_on(drain, lane, dg->words + late->at, late->slots, words, self, err);
        lane->at.gap = 0;
        lane->at.missing = 0;
        lane->late = 0;
    }
    dg->late_count = dg->word_count = 0;
    return rc;
}

static int tell_idle(struct td_drain *drain, td_drain_words *words, void *self, struct td_err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < drain->lane_count; i++)
        if (drain->lanes[i].gathered)
            rc = td_drain_hand_on(drain, &drain->lanes[i], NULL, 0, words, self, err);
    return rc;
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
    return rc;
}

int td_drain_gather_give(struct td_drain *drain, int idle, td_drain_words *words, void *self,
                         struct td_err *err)
{
    int rc = give_late(drain, words, self, err);
    return rc || !idle ? rc : tell_idle(drain, words, self, err);
}

int td_drain_gather_finish(struct td_drain *drain, td_drain_words *words, void *self, struct td_err *err)
{
    struct td_drain_gather *dg = &drain->gather;
    if (!dg->count)
        return 0;
    dg->to = words;
    dg->self = self;
    int rc = dg->g->ops->finish(dg->g, on_gathered, drain, err);
    /* What arrived before an error counts. */
    int given = td_drain_gather_give(drain, 1, words, self, rc ? NULL : err);
    rc = rc ? rc : given;
    for (size_t i = 0; i < drain->lane_count; i++)
        drain->lanes[i].gathered = 0;
    dg->count = 0;
    return rc;
}

void td_drain_gather_free(struct td_drain *drain)
{
    free(drain->gather.fresh);
    free(drain->gather.late);
    free(drain->gather.words);
}
