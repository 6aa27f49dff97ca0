/* By tt-metal's path of 2026: several tiles of Dst, packed one after the other. */
#ifndef TENDRIL_API_COMPUTE_EXPERIMENTAL_PACK_BLOCK_H
#define TENDRIL_API_COMPUTE_EXPERIMENTAL_PACK_BLOCK_H
#include "api/compute/common.h"

namespace ckernel
{
TD_SETTING_(pack_block_contiguous_init)
ALWI void pack_block_contiguous(uint32_t dst, uint32_t cb, uint32_t tiles)
{
    pack_tile_block(dst, cb, tiles);
}
} // namespace ckernel
#endif
