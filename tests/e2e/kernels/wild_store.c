/* Marks zones and, at some moment, stores one wrong word over its lane. The launch's argument:
 * bits 0..7   the word: 0..15 of the tile's control words, 16..47 of the lane's, from 64 on of the ring, each 16th
 * bits 8..11  the value; bits 12..15 the moment, in sixteenths of the zones
 * bit 16      it ends by a fault; bits 20.. the number of zones */
#include "tendril/tendril.h"
#include "target/src/places.h"

#include "proto/device/lane.h"

static volatile uint32_t *word_of(uint32_t number)
{
    if (number < TD_TILE_CTRL_BYTES / 4)
        return td_tile_ctrl + number;
    if (number < 64)
        return td_lane + (number - TD_TILE_CTRL_BYTES / 4) % (TD_LANE_CTRL_BYTES / 4);
    return td_ring + (number - 64) * 16 % (2 * TD_RING_SLOTS);
}

static void store_wrong(uint32_t number, uint32_t which)
{
    static const uint32_t values[] = {0,          UINT32_MAX, 0x5a5a5a5a, 1,   0x80000001, 0x7fffffff,
                                      0x01010101, 17,         0xfeedbeef, 300, 0xfc000000, 0xfe000000};
    volatile uint32_t *word = word_of(number);
    const uint32_t value = which < sizeof values / sizeof *values ? values[which] : *word + which;
    *word = value;
}

int main(void)
{
    const uint32_t arg = td_arg(), zones = arg >> 20, moment = zones * (arg >> 12 & 15) / 16;
    for (uint32_t i = 0; i < zones; i++) {
        ZoneScopedN("work");
        if (i == moment)
            store_wrong(arg & 255, arg >> 8 & 15);
    }
    if (arg >> 16 & 1)
        *(volatile uint32_t *)0x70000000 = 1;
    return 0;
}
