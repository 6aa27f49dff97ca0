/* Tiles to rows of numbers, by tt-metal's names: `block` tiles of a buffer become 32 rows of `block` x 32
 * elements in another one. Dst is taken and given back for each tile. */
#ifndef TENDRIL_API_COMPUTE_UNTILIZE_H
#define TENDRIL_API_COMPUTE_UNTILIZE_H
#include "api/compute/pack_untilize.h"

namespace ckernel
{
TD_SETTING_(untilize_init)
TD_SETTING_(untilize_init_short)
TD_SETTING_(untilize_uninit)

template <int tiles_at_once = 1> ALWI void untilize_block(uint32_t cb, uint32_t block, uint32_t cb_out)
{
    for (uint32_t tile = 0; tile < block; tile++) {
        tile_regs_acquire();
        copy_tile(cb, tile, 0);
        tile_regs_commit();
        tile_regs_wait();
        td_pack_rows_(0, cb_out, 0, tile, block);
        tile_regs_release();
    }
}
} // namespace ckernel
#endif
