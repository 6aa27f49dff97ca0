/* By tt-metal's path of 2026: tiles next to each other, less the first column of one tile. */
#ifndef TENDRIL_API_COMPUTE_EXPERIMENTAL_SDPA_SUB_CUSTOM_H
#define TENDRIL_API_COMPUTE_EXPERIMENTAL_SDPA_SUB_CUSTOM_H
#include "api/compute/bcast.h"

namespace ckernel
{
TD_SETTING_(sub_bcast_cols_init_short_custom)
ALWI void sub_tiles_bcast_cols_custom(uint32_t cb0, uint32_t cb1, uint32_t tile0, uint32_t tile1,
                                      uint32_t dst, uint32_t tiles)
{
    for (uint32_t tile = 0; tile < tiles; tile++)
        sub_tiles_bcast_cols(cb0, cb1, tile0 + tile, tile1, dst + tile);
}
} // namespace ckernel
#endif
