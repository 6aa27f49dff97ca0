/* Places in a core's ring, for lane.c: tp points at the next slot; a position is the number of a slot, which counts
 * on from round to round. */
#pragma once
#include "target/src/lane.h"

#define RING_BYTES  (TD_RING_SLOTS * TD_SLOT_BYTES)
#define BLOCK_BYTES (TD_BLOCK_SLOTS * TD_SLOT_BYTES)

/* The low 32 bits are all of it on a core. */
static inline uint32_t address(const volatile uint32_t *at)
{
    return (uint32_t)(uintptr_t)at;
}

static inline uint32_t offset(void)
{
    return address(td_tp()) - address(td_ring);
}

static inline void wrap(void)
{
    td_state.round += TD_RING_SLOTS;
    td_set_tp(td_ring);
}

static inline void go_to(uint32_t position)
{
    td_state.round = position - position % TD_RING_SLOTS;
    td_set_tp(td_ring + position % TD_RING_SLOTS * 2);
}

static inline bool is_valid(uint32_t position)
{
    return (td_ring[position % TD_RING_SLOTS * 2] & TD_SLOT_VALID) != 0;
}

static inline uint32_t min(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline void publish(uint32_t position)
{
    td_fence();
    TD_LANE(tail) = position;
}

static inline void publish_lost(void)
{
    TD_LANE(lost_zones) = td_state.lost_zones;
    TD_LANE(lost_other) = td_state.lost_other;
    if (td_state.policy == TD_POLICY_DROP)
        TD_LANE(given) = TD_LOST_CHECK(td_state.lost_zones, td_state.lost_other);
}

/* Overwrite: of what was given up. */
static inline uint32_t given_check(uint32_t given)
{
    return TD_GIVEN_CHECK(given, td_state.lost_zones + td_state.lost_other + td_state.told_zones);
}

/* Clears the valid ones of these slots. */
static inline void clear_slots(uint32_t first, uint32_t end)
{
    for (; first != end; first++)
        if (is_valid(first))
            td_ring[first % TD_RING_SLOTS * 2] = td_ring[first % TD_RING_SLOTS * 2 + 1] = 0;
}

/* The core leaves the recording. */
void td_lane_leave(void);
