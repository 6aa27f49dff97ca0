/* Marks zones and, halfway, overwrites control words or the ring. The launch's argument: bits 0..7 the place
 * (test_damage.py has the names), bits 8..15 the byte, bits 16.. the number of zones. */
#include "tendril/tendril.h"
#include "target/src/places.h"

#include "proto/device/lane.h"

#include <string.h>

enum { NOTHING, TILE_HEADER, LANE_WORDS, RING, ALL_OF_THE_TILE };

static void write_over(uint32_t place, int byte)
{
    if (place == TILE_HEADER)
        memset((void *)td_tile_ctrl, byte, TD_TILE_CTRL_BYTES);
    if (place == LANE_WORDS)
        memset((void *)td_lane, byte, TD_LANE_CTRL_BYTES);
    if (place == RING)
        memset((void *)td_ring, byte, (size_t)((char *)td_ring_end - (char *)td_ring));
    if (place == ALL_OF_THE_TILE)
        memset((void *)td_tile_ctrl, byte, (size_t)((char *)td_ring - (char *)td_tile_ctrl));
}

int main(void)
{
    const uint32_t zones = td_arg() >> 16;
    for (uint32_t i = 0; i < zones; i++) {
        ZoneScopedN("work");
        if (i == zones / 2)
            write_over(td_arg() & 0xff, (int)(td_arg() >> 8 & 0xff));
    }
    return 0;
}
