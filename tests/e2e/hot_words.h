/* What the kernel hot.c and its host program share: in a tile's L1, one for each core. */
#pragma once
#include <stdint.h>

struct hot_words {
    uint32_t rounds; /* to do */
    uint32_t first, second, third,
        all; /* ticks in these functions, and between the begin and end of main() */
    uint32_t value;
};
