/* A kernel that fills its lane: as many zones as the launch's argument says, one after the other.
 * Cross-compiled for every core, and compiled into the simulator for cores that have no emulator (native.c).
 *
 * Argument: bits 19..0 the number of zones, bits 31..20 the pace: 16 ticks or a multiple from one zone's end
 * to the next; 0: as fast as it goes. */
#include "tendril/tendril.h"

int main(void)
{
    uint32_t zones = td_arg() & 0xfffff, pace = td_arg() >> 20 << 4;
    uint64_t next = td_clock64();
    for (uint32_t i = 0; i < zones; i++) {
        next += pace;
        TD_ZONE_BEGIN(step, "step");
        while (pace && td_clock64() < next) {
        }
        TD_ZONE_END(step);
    }
    TD_LOG("filled with %u zones", zones);
    return 0;
}
