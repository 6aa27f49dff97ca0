/* Replaces what a core's linker script provides, in firmware that is not this kit's. Included where TD_GUEST
 * is defined. */
#pragma once
#include "riscv/rt_words.h"

#include <stdbool.h>
#include <stdint.h>

struct td_guest {
    volatile uint32_t *tile_ctrl, *lane, *ring;
    uint32_t ring_slots;
    uint32_t id[2];  /* used in place of the build id */
    bool is_in_lane; /* the words above are known, and td_state is that of the lane */
};
extern struct td_guest td_guest;
extern volatile uint32_t td_guest_words[TD_RT_BYTES / 4];

#define td_tile_ctrl  (td_guest.tile_ctrl)
#define td_lane       (td_guest.lane)
#define td_ring       (td_guest.ring)
#define td_rt_words   td_guest_words
#define TD_RING_SLOTS (td_guest.ring_slots)
#define TD_IS_STAMPED 0

static inline const uint32_t *td_image_id(void)
{
    return td_guest.id;
}
