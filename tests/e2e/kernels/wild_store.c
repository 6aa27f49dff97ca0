/* Marks zones and, at some moment, stores wrong words over its lane. The launch's argument:
 * bits 0..7   the word: 0..15 of the tile's control words, 16..47 of the lane's, from 64 on of the ring, each 16th
 * bits 8..11  the value; bits 12..15 the moment, in sixteenths of the zones
 * bit 16      it ends by a fault; bits 17..19 enum how; bits 20.. the number of zones */
#include "tendril/tendril.h"
#include "target/src/lane.h"

enum how {
    ONE_WORD,
    HALF,       /* its upper half, two bytes */
    THREE,      /* three slots, twelve from each other */
    BLOCK,      /* 32 slots */
    BEFORE,     /* at the last zone: that many slots before the next one that is written */
    BEFORE_TWO, /* and the second slot before it */
};

static volatile uint32_t *word_of(uint32_t number)
{
    if (number < TD_TILE_CTRL_BYTES / 4)
        return td_tile_ctrl + number;
    if (number < 64)
        return td_lane + (number - TD_TILE_CTRL_BYTES / 4) % (TD_LANE_CTRL_BYTES / 4);
    return td_ring + (number - 64) * 16 % (2 * TD_RING_SLOTS);
}

static volatile uint32_t *slot_before(uint32_t slots)
{
    const uint32_t next = (uint32_t)(td_tp() - td_ring) / 2;
    return td_ring + (next - slots) % TD_RING_SLOTS * 2;
}

static void store_wrong(volatile uint32_t *word, uint32_t which)
{
    static const uint32_t values[] = {0,          UINT32_MAX, 0x5a5a5a5a, 1,   0x80000001, 0x7fffffff,
                                      0x01010101, 17,         0xfeedbeef, 300, 0xfc000000, 0xfe000000};
    *word = which < sizeof values / sizeof *values ? values[which] : *word + which;
}

static void store_as(enum how how, uint32_t number, uint32_t which)
{
    static const uint16_t halves[] = {0, 0xffff, 0x5a5a, 1, 0x7fff, 0xfedb, 0xfffd, 0x0300};
    volatile uint32_t *word = word_of(number);
    const uint32_t slots = how == THREE ? 3 : how == BLOCK ? 32 : 1, step = how == THREE ? 24 : 2;
    if (how == HALF) {
        ((volatile uint16_t *)word)[1] = halves[which % 8];
    } else if (how >= BEFORE) {
        store_wrong(slot_before(number & 63), which);
        if (how == BEFORE_TWO)
            store_wrong(slot_before((number & 63) + 2), which);
    } else {
        for (uint32_t i = 0; i < slots; i++)
            store_wrong(number < 64 ? word : td_ring + (word - td_ring + i * step) % (2 * TD_RING_SLOTS),
                        which);
    }
}

int main(void)
{
    const uint32_t arg = td_arg(), zones = arg >> 20, moment = zones * (arg >> 12 & 15) / 16;
    const enum how how = (enum how)(arg >> 17 & 7);
    for (uint32_t i = 0; i < zones; i++) {
        ZoneScopedN("work");
        if (i == (how >= BEFORE ? zones - 1 : moment))
            store_as(how, arg & 255, arg >> 8 & 15);
    }
    if (arg >> 16 & 1)
        *(volatile uint32_t *)0x70000000 = 1;
    return 0;
}
