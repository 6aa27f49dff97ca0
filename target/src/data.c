#include "target/src/args_packet.h"

void td_data(uint32_t site, uint64_t value)
{
    const uint32_t low = (uint32_t)value, high = (uint32_t)(value >> 32);
    if (!td_args_quick(TD_PACKET_DATA, site, 2, (const uint32_t[]){low, high}))
        td_args_slow(TD_PACKET_DATA, site, 2, (const uint32_t[]){low, high});
}
