/* Takes one lane in a round over all lanes, if its core takes part in the recording. */
#include "host/base/debug_log.h"
#include "host/device/drain/drain_internal.h"
#include "proto/device/packet.h"

/* Without a map, a lane that has been quiet is looked at beyond its hint after 4, 8, 16 ... polls, up to this
 * many. */
#define QUIET_FIRST 4u
#define QUIET_LAST  256u
#define HOLE_LOOKS  8 /* so often a slot that has to be there is waited for */

static void take_skipped(struct td_drain *drain, struct td_drain_lane *lane, uint32_t skipped)
{
    if (!td_drain_lane_skipped(&drain->io, lane, skipped))
        td_drain_say_damage(drain, lane, lane->ctrl_address + TD_LANE_skipped, 0);
}

/* The core has joined: its ring begins at the lane's head. */
static int enter(struct td_drain *drain, struct td_drain_lane *lane, struct td_err *err)
{
    uint32_t skipped;
    /* The `skipped` that was read together with `joined` may be older. */
    int rc = td_drain_lane_read(&drain->io, lane, TD_LANE_skipped, &skipped, err);
    if (rc)
        return rc;
    take_skipped(drain, lane, skipped);
    lane->left = 0;
    lane->given_zones = lane->given_other = 0;
    lane->given_first = lane->first = lane->head;
    td_debug(drain, "chip %u, tile (%u,%u), %s: %s as %u from slot %u on", lane->at.tile.chip,
             lane->at.tile.x, lane->at.tile.y, drain->board->cores[lane->at.core].name,
             lane->rejoining ? "joins again" : "joins", lane->join, lane->head);
    lane->rejoining = 0;
    lane->open = lane->opened = 1;
    lane->quiet = lane->holes = 0;
    return 0;
}

/* Slots that a gatherer took and did not deliver are lost. */
static void take_back(struct td_drain *drain, struct td_drain_lane *lane, const uint32_t *ctrl)
{
    const uint32_t more = ctrl[TD_LANE_head / 4] - lane->head;
    lane->returned = 0;
    if ((int32_t)more <= 0)
        return;
    lane->missing += more;
    drain->gather.lost_slots += more;
    lane->head += more;
}

/* A device that was removed meanwhile reads as all ones, which look like valid slots. */
static int check_ones(struct td_drain *drain, const struct td_drain_lane *lane, int slots, struct td_err *err)
{
    const uint32_t *last = drain->io.buffer + 2 * (slots - 1);
    return (last[0] & last[1]) == UINT32_MAX ? td_drain_read_tile(drain, lane - lane->at.core, err) : 0;
}

/* Overwrite: slots of the lane from its head on are whole no more. */
static int is_given_up(struct td_drain *drain, const struct td_drain_lane *lane, struct td_err *err)
{
    uint32_t given;
    int rc = td_drain_lane_read(&drain->io, lane, TD_LANE_given, &given, err);
    return rc ? rc : (int32_t)((given & ~TD_GIVEN_BUSY) - lane->head) > 0;
}

/* Slots that held nothing. In `overwrite` they are the core's own. */
static int pass_hole(struct td_drain *drain, struct td_drain_lane *lane, uint32_t slots, struct td_err *err)
{
    if (drain->policy != TD_POLICY_OVERWRITE)
        return td_drain_lane_release(&drain->io, lane, slots, err);
    lane->in_hole = 1;
    lane->head += slots;
    return td_drain_lane_write(&drain->io, lane, TD_LANE_head, lane->head, err);
}

/* The slot at the lane's head holds nothing, although the tail or a packet is beyond it: a kernel has cleared it. Such
 * slots are given up when they have been waited for. */
static int skip_hole(struct td_drain *drain, struct td_drain_lane *lane, const uint32_t *ctrl,
                     enum td_drain_round kind, struct td_err *err)
{
    const bool overwrites = drain->policy == TD_POLICY_OVERWRITE;
    const uint32_t tail = ctrl[TD_LANE_tail / 4], told = tail - lane->head;
    uint32_t most = told <= drain->io.ring_slots ? told : 0;
    if (kind == TD_DRAIN_LAST)
        most = overwrites ? td_drain_lane_most_given(&drain->io, lane, ctrl[TD_LANE_given / 4])
                          : td_drain_lane_most(&drain->io, lane, tail);
    if (most == 0 || (++lane->holes < HOLE_LOOKS && kind != TD_DRAIN_LAST))
        return 0;
    int slots = td_drain_lane_hole(&drain->io, lane, most, err);
    if (slots <= 0)
        return slots;
    int rc = overwrites ? is_given_up(drain, lane, err) : 0;
    if (rc)
        return rc < 0 ? rc : 0;
    if ((uint32_t)slots == most) {
        /* Nothing follows, so the tail may have been written over instead. A core that waits for room shows that it was
         * not: its ring is full. */
        if (told - 1 < drain->io.ring_slots / 2 - 1)
            td_drain_say_damage(drain, lane, lane->ctrl_address + TD_LANE_tail, 0);
        if (told < drain->io.ring_slots / 2 || told > drain->io.ring_slots)
            return 0;
        slots = (int)told;
    }
    td_drain_say_damage(drain, lane, lane->ring_address + lane->head % drain->io.ring_slots * TD_SLOT_BYTES,
                        (uint32_t)slots);
    lane->missing += (uint32_t)slots;
    drain->io.skipped += (uint32_t)slots;
    rc = pass_hole(drain, lane, (uint32_t)slots, err);
    return rc ? rc : slots;
}

static int take_next(struct td_drain *drain, struct td_drain_lane *lane, const uint32_t *ctrl,
                     enum td_drain_round kind, int past_hint, td_drain_words *words, void *self,
                     struct td_err *err)
{
    struct td_drain_io *io = &drain->io;
    int slots = td_drain_lane_copy(io, lane, ctrl[TD_LANE_tail / 4], past_hint, err);
    if (slots == 0)
        return skip_hole(drain, lane, ctrl, kind, err);
    int rc = slots > 0 ? check_ones(drain, lane, slots, err) : slots;
    rc = rc ? rc : td_drain_lane_hand_on(io, lane, io->buffer, (uint32_t)slots, words, self, err);
    rc = rc ? rc : td_drain_lane_release(io, lane, (uint32_t)slots, err);
    return rc ? rc : slots;
}

/* Does it say that slots before `first` held what no marker has written, or does it contradict itself? */
static void say_spoilt(struct td_drain *drain, struct td_drain_lane *lane, const struct td_drain_given *given,
                       uint32_t first)
{
    if (given->spoilt && given->spoilt <= first - lane->first)
        td_drain_say_damage(drain, lane, lane->ring_address, given->spoilt);
    else if (given->spoilt)
        td_drain_say_damage(drain, lane, lane->ctrl_address + TD_LANE_lost_zones, 0);
}

/* Each packet that was given up had a slot. Counts of more packets, or of less than before, a kernel has written:
 * then the ones before count. */
static void take_counts(struct td_drain *drain, struct td_drain_lane *lane,
                        const struct td_drain_given *given, uint32_t first)
{
    const uint64_t zones = given->zones - lane->given_zones, other = given->other - lane->given_other;
    say_spoilt(drain, lane, given, first);
    if (zones + other <= first - lane->given_first) {
        lane->given_zones = given->zones;
        lane->given_other = given->other;
        lane->given_first = first;
    } else {
        td_drain_say_damage(drain, lane, lane->ctrl_address + TD_LANE_lost_zones, 0);
    }
    lane->at.given_zones = lane->given_zones;
    lane->at.given_other = lane->given_other;
}

/* Overwrite: the core is not disturbed by a look at its ring. */
static int take_given(struct td_drain *drain, struct td_drain_lane *lane, const uint32_t *ctrl,
                      enum td_drain_round kind, int past_hint, td_drain_words *words, void *self,
                      struct td_err *err)
{
    struct td_drain_io *io = &drain->io;
    struct td_drain_given given;
    uint32_t first;
    if (!td_drain_lane_given_fits(io, lane, ctrl[TD_LANE_given / 4]))
        td_drain_say_damage(drain, lane, lane->ctrl_address + TD_LANE_given, 0);
    int slots = td_drain_lane_copy_given(io, lane, ctrl, past_hint, &first, err);
    if (slots == 0 && first == lane->head)
        return skip_hole(drain, lane, ctrl, kind, err);
    if (slots < 0 || (slots == 0 && kind != TD_DRAIN_LAST))
        return slots;
    int rc = 1;
    if (first != lane->head) {
        rc = td_drain_lane_given(io, lane, kind == TD_DRAIN_LAST, &given, err);
        lane->at.overwritten = rc > 0 && td_drain_given_before(io, &given, first, (uint32_t)slots);
        if (!lane->at.overwritten)
            return rc < 0 ? rc : 0;
        take_counts(drain, lane, &given, first);
    }
    rc = slots ? check_ones(drain, lane, slots, err) : 0;
    rc = rc ? rc : td_drain_lane_hand_on(io, lane, io->buffer, (uint32_t)slots, words, self, err);
    lane->at.overwritten = 0;
    if (rc)
        return rc;
    lane->head = first + (uint32_t)slots;
    rc = td_drain_lane_write(io, lane, TD_LANE_head, lane->head, err);
    return rc ? rc : slots;
}

int td_drain_check_given(struct td_drain *drain, struct td_drain_lane *lane, struct td_err *err)
{
    struct td_drain_given given;
    uint32_t joined, first;
    if (drain->policy != TD_POLICY_OVERWRITE || !lane->open)
        return 0;
    int rc = td_drain_lane_read(&drain->io, lane, TD_LANE_joined, &joined, err);
    if (rc || !td_drain_lane_is_fed(lane, joined))
        return rc;
    rc = td_drain_lane_read(&drain->io, lane, TD_LANE_told_other, &first, err);
    rc = rc ? rc : td_drain_lane_given(&drain->io, lane, true, &given, err);
    if (rc <= 0)
        return rc;
    say_spoilt(drain, lane, &given, given.before);
    if (first && first != lane->first)
        td_drain_say_damage(drain, lane, lane->ctrl_address + TD_LANE_told_other, 0);
    return 0;
}

/* All that the lane has if nothing will follow, with holes in it. */
static int take_slots(struct td_drain *drain, struct td_drain_lane *lane, const uint32_t *ctrl,
                      enum td_drain_round kind, int past_hint, td_drain_words *words, void *self,
                      struct td_err *err)
{
    uint32_t head;
    int slots, all = 0;
    do {
        head = lane->head;
        slots = drain->policy == TD_POLICY_OVERWRITE
                    ? take_given(drain, lane, ctrl, kind, past_hint, words, self, err)
                    : take_next(drain, lane, ctrl, kind, past_hint, words, self, err);
        all += slots > 0 ? slots : 0;
    } while (slots >= 0 && lane->head != head && kind == TD_DRAIN_LAST && all < (int)drain->io.ring_slots);
    return slots < 0 ? slots : all;
}

int td_drain_take_lane(struct td_drain *drain, struct td_drain_lane *lane, const uint32_t *ctrl,
                       enum td_drain_round kind, td_drain_words *words, void *self, struct td_err *err)
{
    if (lane->returned)
        take_back(drain, lane, ctrl);
    int rc = td_drain_watch_lane(drain, lane, ctrl, err);
    if (rc || !td_drain_lane_is_fed(lane, ctrl[TD_LANE_joined / 4]))
        return rc;
    if (!lane->open && (rc = enter(drain, lane, err)))
        return rc;
    if (ctrl[TD_LANE_skipped / 4] != lane->skipped) /* it has left and come back */
        take_skipped(drain, lane, ctrl[TD_LANE_skipped / 4]);
    const int past_hint = kind != TD_DRAIN_QUICK ||
                          (lane->quiet >= QUIET_FIRST && (lane->quiet & (lane->quiet - 1)) == 0) ||
                          lane->quiet == QUIET_LAST;
    lane->looked = past_hint || lane->ring;
    const int slots = take_slots(drain, lane, ctrl, kind, past_hint, words, self, err);
    lane->quiet = slots > 0 ? 0 : lane->quiet % QUIET_LAST + 1;
    lane->holes = slots > 0 ? 0 : lane->holes;
    return slots;
}

void td_drain_count_skipped(struct td_drain *drain, struct td_drain_lane *lane, const uint32_t *ctrl)
{
    uint32_t skipped = ctrl[TD_LANE_skipped / 4];
    const uint32_t joined = ctrl[TD_LANE_joined / 4];
    lane->opened |= (joined & ~TD_JOIN_LEFT) == lane->join;
    if ((joined & ~TD_JOIN_LEFT) != lane->join && (lane->opened || joined != lane->joined) &&
        !lane->rejoining)
        td_drain_say_damage(drain, lane, lane->ctrl_address + TD_LANE_joined, 0);
    if (!lane->opened) {
        td_drain_lane_missed(&drain->io, lane, ctrl);
        return;
    }
    /* A core that has left counts when it comes back. */
    if (!td_drain_lane_is_fed(lane, joined)) {
        lane->left = 1;
        skipped += ctrl[TD_LANE_tail / 4] - lane->head;
    }
    take_skipped(drain, lane, skipped);
}
