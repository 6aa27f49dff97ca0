/* By tt-metal's path of 2026. */
#ifndef TENDRIL_API_COMPUTE_EXPERIMENTAL_TILE_MOVE_COPY_CUSTOM_H
#define TENDRIL_API_COMPUTE_EXPERIMENTAL_TILE_MOVE_COPY_CUSTOM_H
#include "api/compute/tile_move_copy.h"

namespace ckernel
{
ALWI void copy_tile_custom(uint32_t cb, uint32_t tile, uint32_t dst)
{
    copy_tile(cb, tile, dst);
}
} // namespace ckernel
#endif
