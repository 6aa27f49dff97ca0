/* Rows of numbers to tiles, by tt-metal's names: 32 rows of `block` x 32 elements in a buffer become
 * `block` tiles in another one. Dst is taken and given back for each tile. */
#ifndef TENDRIL_API_COMPUTE_TILIZE_H
#define TENDRIL_API_COMPUTE_TILIZE_H
#include "api/compute/compute_kernel_api.h"

namespace ckernel
{
TD_SETTING_(tilize_init)
TD_SETTING_(tilize_init_short)
TD_SETTING_(tilize_init_short_with_dt)
TD_SETTING_(tilize_init_unpack)
TD_SETTING_(tilize_uninit)
TD_SETTING_(tilize_uninit_with_dt)
TD_SETTING_(fast_tilize_init)
TD_SETTING_(fast_tilize_init_with_dt)
TD_SETTING_(fast_tilize_uninit)

/* Column `tile` of `block` tiles, whose rows begin where tile `first` of the buffer would, to SrcA. */
ALWI void td_unpack_rows_(uint32_t cb, uint32_t first, uint32_t tile, uint32_t block)
{
    const uint32_t bytes = td_row_bytes_(cb);
    TD_UNPACK_((td_compute_start(TD_COMPUTE_UNPACK_A, td_tile_at_(cb, first) + tile * bytes, block * bytes,
                                 td_kernel_cb_(cb)->format, 0, TD_COMPUTE_ROWS)));
}

ALWI void unpack_tilize_block(uint32_t cb, uint32_t block, uint32_t first_tile = 0)
{
    for (uint32_t tile = 0; tile < block; tile++)
        td_unpack_rows_(cb, first_tile, tile, block);
}

ALWI void tilize_block(uint32_t cb, uint32_t block, uint32_t cb_out, uint32_t first_tile = 0,
                       uint32_t first_tile_out = 0)
{
    for (uint32_t tile = 0; tile < block; tile++) {
        td_unpack_rows_(cb, first_tile, tile, block);
        tile_regs_acquire();
        TD_MATH_((td_compute_start(TD_COMPUTE_COPY, 0, 0, 0, 0, td_dst_options_)));
        tile_regs_commit();
        tile_regs_wait();
        pack_tile<true>(0, cb_out, first_tile_out + tile);
        tile_regs_release();
    }
}
ALWI void fast_tilize_block(uint32_t cb, uint32_t block, uint32_t cb_out, uint32_t first_tile = 0,
                            uint32_t first_tile_out = 0)
{
    tilize_block(cb, block, cb_out, first_tile, first_tile_out);
}
} // namespace ckernel
#endif
