/* Packets of a head and one word. */
#pragma once
#include "target/src/quick.h"

void td_point_slow(enum td_packet type, uint32_t site, uint32_t word);

/* An instant of this type, now, with one continuation slot that carries `word`. */
TD_ALWAYS_INLINE void td_point_write(enum td_packet type, uint32_t site, uint32_t word)
{
    uint32_t low;
    volatile uint32_t *at;
    if (!td_quick_begin(2, &at, &low)) {
        td_point_slow(type, site, word);
        return;
    }
    td_quick_add(at, 0, 1, word, 0);
    td_quick_end(at, type, site, low, 2);
}
