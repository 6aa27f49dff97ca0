/* Replaces what a core's linker script provides, for cores that are threads of the host. Included where
 * TD_NATIVE is defined. */
#pragma once
#include "riscv/rt_words.h"

#include <stdint.h>

struct td_native_places {
    volatile uint32_t *tile_ctrl, *lane, *ring;
    volatile uint32_t *tp; /* the write pointer */
    uint32_t ring_slots;
    volatile uint32_t rt_words[TD_RT_BYTES / 4];
    _Alignas(4) uint8_t build_id_note[16 + 20];
};
/* The core that this thread is. */
extern _Thread_local struct td_native_places *td_native_places;

#define td_tile_ctrl     (td_native_places->tile_ctrl)
#define td_lane          (td_native_places->lane)
#define td_ring          (td_native_places->ring)
#define td_rt_words      (td_native_places->rt_words)
#define td_build_id_note (td_native_places->build_id_note)
#define TD_RING_SLOTS    (td_native_places->ring_slots)
#define TD_IS_STAMPED    0

/* Waits a little for the consumer. */
void td_native_pause(void);
