/* Where a core's lane and the runtime's words are. */
#pragma once
#if defined TD_NATIVE
#include "target/native/places.h"
#elif defined TD_GUEST
#include "target/guest/places.h"
#else
#include <stdint.h>

/* From the linker script. */
extern volatile uint32_t td_tile_ctrl[] __asm__("td_lane_base");
extern volatile uint32_t td_lane[]; /* lane control words */
extern volatile uint32_t td_ring[], td_ring_end[];
extern volatile uint32_t td_rt_words[];
extern const char td_ring_slots_symbol[] __asm__("td_ring_slots"); /* its address is the number */
extern const uint8_t td_build_id_note[];
/* Words of open zones (proto/device/site.h): the image's, and the board's place for those of this core. */
extern volatile uint32_t td_open_begin[], td_open_end[], td_open_base[];
extern volatile uint32_t td_stack_guard[] __asm__("td_stack_end");
extern const char td_open_bytes_symbol[] __asm__("td_open_bytes");

extern const char td_is_stamped_symbol[] __asm__("td_is_stamped"); /* 1: zones go to the tile's timestamper */

#define TD_IS_STAMPED ((uint32_t)(uintptr_t)td_is_stamped_symbol)
#define TD_RING_SLOTS ((uint32_t)(uintptr_t)td_ring_slots_symbol)
#define TD_OPEN_BYTES ((uint32_t)(uintptr_t)td_open_bytes_symbol)
#endif

#ifndef TD_GUEST
/* The build id, after the note's head and owner. */
static inline const uint32_t *td_image_id(void)
{
    return (const uint32_t *)(td_build_id_note + 16);
}
#endif
