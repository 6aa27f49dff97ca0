/* Addresses on the NoC of 64 bits: bits 0 to 35 are the address in the tile or bank, bits 36 to 41 are x,
 * bits 42 to 47 are y. Of a rectangle, those are the last corner, and bits 48 to 53 and 54 to 59 the first.
 * This is the layout of Wormhole's NoC registers, as tt-isa-documentation describes it. */
#ifndef TENDRIL_API_DATAFLOW_NOC_ADDRESSES_H
#define TENDRIL_API_DATAFLOW_NOC_ADDRESSES_H
#include "tendril/noc.h"

#define TD_NOC_ADDRESS_BITS 36u
#define TD_NOC_NODE_BITS    6u

/* tt-metal's build says which NoC a kernel uses. */
#ifdef NOC_INDEX
static constexpr uint8_t noc_index = NOC_INDEX;
#else
static constexpr uint8_t noc_index = 0;
#endif

/* Places are called the same on both NoCs; what a request names is found when it is given. */
#define NOC_X(x) (x)
#define NOC_Y(y) (y)

static inline uint64_t td_noc_corner_(uint32_t x, uint32_t y)
{
    return x | static_cast<uint64_t>(y) << TD_NOC_NODE_BITS;
}

static inline uint32_t td_noc_x_(uint64_t address, uint32_t corner = 0)
{
    return static_cast<uint32_t>(address >> (TD_NOC_ADDRESS_BITS + 2 * TD_NOC_NODE_BITS * corner)) & 0x3f;
}

static inline uint32_t td_noc_y_(uint64_t address, uint32_t corner = 0)
{
    return static_cast<uint32_t>(address >> (TD_NOC_ADDRESS_BITS + TD_NOC_NODE_BITS * (2 * corner + 1))) &
           0x3f;
}

/* The place, or a rectangle's last one, and its first one. Kernels for tt-metal's second NoC name the last
 * corner first. */
static inline uint32_t td_noc_place_of_(uint64_t address, uint32_t corner = 0)
{
    return td_noc_place_(td_noc_x_(address, corner), td_noc_y_(address, corner));
}

static inline uint64_t td_noc_local_(uint64_t address)
{
    return address & ((UINT64_C(1) << TD_NOC_ADDRESS_BITS) - 1);
}
#endif
