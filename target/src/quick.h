/* The quick path of packets with a time: if they fit before the limit and the clock's high half is that of the
 * lane's last TIME packet, a marker writes its slots and moves tp, as the close of a zone does. All else is left
 * to td_packet_write(). Private to the runtime. */
#pragma once
#include "target/src/lane.h"

/* The clock's low half; `high`: the live high half, read after it. */
TD_ALWAYS_INLINE uint32_t td_quick_clock(uint32_t *high)
{
#ifdef TD_NATIVE
    const uint64_t now = td_clock64();
    *high = (uint32_t)(now >> 32);
    return (uint32_t)now;
#else
    uint32_t base, low;
    __asm__("lui %0,%%hi(td_clock_low)" : "=r"(base));
    __asm__ volatile("lw %0,%%lo(td_clock_low)(%2)\n\t"
                     "lw %1,%%lo(td_clock_live_high)(%2)"
                     : "=&r"(low), "=r"(*high)
                     : "r"(base)
                     : "memory");
    return low;
#endif
}

#if defined TD_NATIVE || defined TD_GUEST
#define TD_QUICK_RT(name) TD_RT(name)
#else /* one instruction: gp is 0x800 bytes after these words */
#define TD_QUICK_RT(name)                                                                                    \
    __extension__({                                                                                          \
        uint32_t td_word_;                                                                                   \
        __asm__ volatile("lw %0," TD_GP_(TD_RT_##name) : "=r"(td_word_) : : "memory");                       \
        td_word_;                                                                                            \
    })
#endif

/* Whether a packet of `slots` slots that ends now may be written at `at`; `low` is the low half of its time. */
TD_ALWAYS_INLINE bool td_quick_begin(uint32_t slots, volatile uint32_t **at, uint32_t *low)
{
    uint32_t high;
    *low = td_quick_clock(&high);
    *at = td_tp();
    const uint32_t room = TD_QUICK_RT(LIMIT) - (uint32_t)(uintptr_t)*at;
    return high == TD_QUICK_RT(HIGH) && room >= slots * TD_SLOT_BYTES;
}

/* Slot `i` after the head, of a packet that has `count` of them. */
TD_ALWAYS_INLINE void td_quick_add(volatile uint32_t *at, uint32_t i, uint32_t count, uint32_t low32,
                                   uint32_t high16)
{
    at[2 * i + 3] = low32;
    at[2 * i + 2] = TD_TAG_CONT | (count - 1 - i) << TD_CONT_LEFT_SHIFT | high16;
}

/* The packet's head, after all its other slots; tp moves on. */
TD_ALWAYS_INLINE void td_quick_end(volatile uint32_t *at, enum td_packet type, uint32_t site, uint32_t low,
                                   uint32_t slots)
{
    /* The site's valid flag and id, moved to where a head has its id, plus what makes it this head. */
    const uint32_t head =
        TD_TAG_HEAD + ((uint32_t)type << TD_HEAD_TYPE_SHIFT) - (TD_SLOT_VALID >> TD_SHORT_ID_SHIFT);
    at[1] = low;
    at[0] = (site >> TD_SHORT_ID_SHIFT) + head;
    td_set_tp(at + 2 * slots);
}
