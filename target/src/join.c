/* How a launch takes up its lane, or joins a recording (proto/device/lane.h). */
#include "target/src/ring.h"

#include <stddef.h>

#define RESUME_LOOKS 1000

/* Joins the recording: the ring is clear and begins where the consumer looks. Number of its first slot. */
static uint32_t join_recording(void)
{
    const uint32_t number = TD_LANE(join), head = TD_LANE(head);
    const bool rejoining = number & TD_JOIN_REJOIN || (td_state.joined & ~TD_JOIN_LEFT) == number;
    for (uint32_t i = 0; i < 2 * TD_RING_SLOTS; i++)
        td_ring[i] = 0;
    /* In overwrite nothing of what the ring held will be given up, so counting begins anew, too. */
    if (!rejoining || td_state.policy == TD_POLICY_OVERWRITE) {
        TD_LANE(stalls) = TD_LANE(calls) = 0;
        td_state.lost_zones = td_state.lost_other = td_state.told_zones = td_state.told_other = 0;
    }
    if (td_state.policy == TD_POLICY_OVERWRITE)
        td_state.told_other = head;
    td_state.skipped = rejoining ? td_state.skipped + TD_LANE(tail) - head : 0;
    td_state.joined = number;
    TD_LANE(tail) = head;
    TD_LANE(given) = TD_GIVEN_BUSY; /* no number that it could have */
    go_to(head);
    td_lane_rewrite();
    return head;
}

/* After the valid slots from `tail` on may be the end of a packet whose first slot was never written. */
static uint32_t find_end(uint32_t tail, uint32_t end, uint32_t cut)
{
    while (tail != end && is_valid(tail))
        tail++;
    clear_slots(tail, tail + min(cut, end - tail));
    return tail;
}

/* Block, drop: where the launch before has stopped. The tail of one that was stopped is a hint, and the
 * consumer may have looked beyond it. The consumer may also clear slots meanwhile, from the head on. So the
 * end was seen right if afterwards the head is the same and its slot is still valid. A kernel may have
 * cleared that slot: then the looks end, too. */
static uint32_t resume_lane(void)
{
    for (uint32_t looks = 1;; looks++) {
        const uint32_t head = TD_LANE(head), tail = TD_LANE(tail), end = head + TD_RING_SLOTS;
        const bool is_hint = tail - head <= TD_RING_SLOTS;
        uint32_t at = is_hint ? tail : head;
        while (at != end && is_valid(at))
            at++;
        td_fence();
        if (looks < RESUME_LOOKS && (TD_LANE(head) != head || (at != head && !is_valid(head))))
            continue;
        return find_end(at, end, is_hint ? TD_MAX_PACKET_SLOTS : TD_RING_SLOTS);
    }
}

static uint32_t resume_overwrite(void)
{
    const uint32_t given = TD_LANE(given), end = (given & ~TD_GIVEN_BUSY) + TD_RING_SLOTS;
    const uint32_t begin = end - TD_BLOCK_SLOTS, tail = TD_LANE(tail);
    if (end % TD_BLOCK_SLOTS || end - tail > 2 * TD_BLOCK_SLOTS)
        return join_recording(); /* a kernel has written over these words */
    if (given & TD_GIVEN_BUSY && td_state.told_zones == -TD_BLOCK_SLOTS) {
        /* It has not been counted. */
        td_state.told_zones = 0;
        TD_LANE(given) = (given & ~TD_GIVEN_BUSY) - TD_BLOCK_SLOTS;
        return begin;
    }
    if (given & TD_GIVEN_BUSY) {
        if (td_state.told_zones >> 31)
            td_state.told_zones = 0;
        clear_slots(begin, end);
        td_fence();
        TD_LANE(given) = given & ~TD_GIVEN_BUSY;
        return begin;
    }
    return find_end(end - tail > TD_BLOCK_SLOTS ? begin : tail, end, TD_BLOCK_SLOTS);
}

/* What the launches before have counted. Counts that contradict each other were written over: the agent sees
 * that they became less. */
static void take_counts(void)
{
    td_state.joined = TD_LANE(joined);
    td_state.skipped = TD_LANE(skipped);
    td_state.lost_zones = td_state.told_zones = TD_LANE(told_zones);
    td_state.lost_other = td_state.told_other = TD_LANE(told_other);
    const uint32_t zones = TD_LANE(lost_zones), other = TD_LANE(lost_other);
    if (td_state.policy == TD_POLICY_OVERWRITE)
        td_state.told_zones =
            TD_GIVEN_CHECK(TD_LANE(given) & ~TD_GIVEN_BUSY, zones + other) - td_state.told_zones;
    if (td_state.policy == TD_POLICY_DROP && TD_LANE(given) != TD_LOST_CHECK(zones, other))
        return;
    td_state.lost_zones = zones;
    td_state.lost_other = other;
}

static uint32_t first_position(void)
{
    td_fence(); /* `join` is no older than the policy */
    if (td_state.dead || td_state.policy == TD_POLICY_OFF || td_state.policy > TD_POLICY_OVERWRITE) {
        td_lane_leave();
        return TD_LANE(tail);
    }
    if (td_state.joined != TD_LANE(join))
        return join_recording();
    return td_state.policy == TD_POLICY_OVERWRITE ? resume_overwrite() : resume_lane();
}

/* Word by word: for the whole structure the compiler would call memset(), which takes three times as long. */
static void clear_state(void)
{
    struct td_lane_state *s = &td_state;
    s->round = s->head = s->policy = s->reserved = s->op = s->written_op = 0;
    s->dead = s->mute = s->image_written = s->stalled = 0;
    s->stall_ticks = s->lost_from_ticks = s->lost_to_ticks = 0;
    s->untold = s->lost_zones = s->lost_other = s->told_zones = s->told_other = s->joined = s->skipped = 0;
    s->open = NULL;
}

void td_lane_begin_launch(void)
{
    clear_state();
    td_state.policy = TD_LANE(policy);
    td_state.op = TD_LANE(op);
    td_state.written_op = ~td_state.op;
    td_state.dead = td_tile_ctrl[TD_TILE_magic / 4] != TD_LANE_MAGIC ||
                    td_tile_ctrl[TD_TILE_version / 4] != TD_DEVICE_PROTO_VERSION ||
                    td_tile_ctrl[TD_TILE_ring_slots / 4] != TD_RING_SLOTS;
    take_counts();
    go_to(first_position());
    td_state.head = TD_LANE(head);
    td_state.untold =
        td_state.lost_zones != td_state.told_zones || td_state.lost_other != td_state.told_other;
    uint64_t now = td_clock64();
    td_state.lost_from_ticks = td_state.lost_to_ticks = now;
    TD_RT(HIGH) = (uint32_t)(now >> 32) - 1; /* no TIME packet of this launch yet */
    td_lane_settle();
}
