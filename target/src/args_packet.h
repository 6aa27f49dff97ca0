/* Packets with argument words. */
#pragma once
#include "target/src/quick.h"

void td_args_slow(enum td_packet type, uint32_t site, uint32_t count, const uint32_t *word);

/* Three words in two slots; one or two left over take a slot each. `count` is a constant. */
TD_ALWAYS_INLINE void td_args_put(volatile uint32_t *at, uint32_t count, const uint32_t *word)
{
    const uint32_t slots = TD_ARG_SLOTS(count);
#pragma GCC unroll 9
    for (uint32_t i = slots; i-- > 0;) {
        const uint32_t group = i / 2 * 3;
        if (group + 3 > count)
            td_quick_add(at, i, slots, word[group + i % 2], 0);
        else if (i % 2)
            td_quick_add(at, i, slots, word[group + 1], word[group + 2] >> 16);
        else
            td_quick_add(at, i, slots, word[group], word[group + 2] & TD_CONT_LOW_MASK);
    }
}

/* Writes a packet of this type now if that is possible without a wait or a loss. */
TD_ALWAYS_INLINE bool td_args_quick(enum td_packet type, uint32_t site, uint32_t count, const uint32_t *word)
{
    const uint32_t slots = 1 + TD_ARG_SLOTS(count);
    uint32_t low;
    volatile uint32_t *at;
    if (!td_quick_begin(slots, &at, &low))
        return false;
    td_args_put(at, count, word);
    td_quick_end(at, type, site, low, slots);
    return true;
}

/* Defines PREFIX0() .. PREFIX8(), for 0 to 8 words. Two arrays, so that the quick path needs none in memory. */
#define TD_ARGS_FUNCTION(prefix, type, n)                                                                    \
    void TD_CAT(prefix, n)(uint32_t site TD_PARAMETERS_##n)                                                  \
    {                                                                                                        \
        if (!td_args_quick(type, site, n, (const uint32_t[]){TD_NAMES_##n 0}))                               \
            td_args_slow(type, site, n, (const uint32_t[]){TD_NAMES_##n 0});                                 \
    }
