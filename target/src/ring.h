/* Places in a core's ring, for lane.c: tp points at the next slot; a position is the number of a slot, which counts
 * on from round to round. */
#ifndef TD_TARGET_SRC_RING_H
#define TD_TARGET_SRC_RING_H
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
#endif
