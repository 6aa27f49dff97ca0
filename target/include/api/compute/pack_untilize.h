/* Tiles to rows of numbers by the packers, by tt-metal's names: `block_ct_dim` tiles that are next to each
 * other become 32 rows of `full_ct_dim` x 32 elements. */
#ifndef TENDRIL_API_COMPUTE_PACK_UNTILIZE_H
#define TENDRIL_API_COMPUTE_PACK_UNTILIZE_H
#include "api/compute/tile_move_copy.h"

namespace ckernel
{
TD_SETTING_(pack_untilize_init)
TD_SETTING_(pack_untilize_init_short)
TD_SETTING_(pack_untilize_dst_init)
TD_SETTING_(pack_untilize_dst_init_short)
TD_SETTING_(pack_untilize_uninit)
TD_SETTING_(pack_untilize_dest_init)

/* A tile of Dst to column `tile` of the rows of tiles, `tiles` of which are next to each other. */
ALWI void td_pack_rows_(uint32_t dst, uint32_t cb, uint32_t row, uint32_t tile, uint32_t tiles)
{
    const uint32_t bytes = td_row_bytes_(cb);
    TD_PACK_((td_compute_start(
        TD_COMPUTE_PACK, td_cb_write_pointer(td_kernel_cb_at_(cb)) + (row * 32 * tiles + tile) * bytes,
        tiles * bytes, td_kernel_cb_(cb)->format, dst, td_pack_options_ | TD_COMPUTE_ROWS)));
}

/* Whether whole tiles are packed: options are flags, which are not set, and the length of a row. */
template <auto... OPTIONS> constexpr bool td_packs_whole_tiles_()
{
    return ((OPTIONS == 0 || static_cast<uint32_t>(OPTIONS) == 32) && ...);
}

/* From Dst: row after row of `block_ct_dim` tiles. Parts of tiles end the kernel with a message. */
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, auto... OPTIONS>
ALWI void pack_untilize_dst(uint32_t cb, uint32_t rows = 1, uint32_t block = 0, uint32_t face_rows = 16,
                            uint32_t faces = 4)
{
    if (!td_packs_whole_tiles_<OPTIONS...>() || face_rows != 16 || faces != 4)
        TD_PACK_(
            ([] { TD_LOG("pack_untilize_dest() of parts of tiles is not on this board"); }(), std::abort()));
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t tile = 0; tile < block_ct_dim; tile++)
            td_pack_rows_(row * block_ct_dim + tile, cb, row, block * block_ct_dim + tile, full_ct_dim);
}

/* `first_tile`: where in Dst the first row begins; other places than 0 are refused, too. */
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, auto... OPTIONS>
ALWI void pack_untilize_dest(uint32_t cb, uint32_t rows = 1, uint32_t block = 0, uint32_t face_rows = 16,
                             uint32_t faces = 4, uint32_t first_tile = 0)
{
    pack_untilize_dst<block_ct_dim, full_ct_dim, OPTIONS...>(cb, rows, block, face_rows,
                                                             first_tile ? 0 : faces);
}

/* From a circular buffer: the first `block_ct_dim` tiles, to each row of the output. */
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim>
ALWI void pack_untilize_block(uint32_t cb, uint32_t rows, uint32_t cb_out, uint32_t block = 0)
{
    for (uint32_t row = 0; row < rows; row++) {
        tile_regs_acquire();
        for (uint32_t tile = 0; tile < block_ct_dim; tile++)
            copy_tile(cb, tile, tile);
        tile_regs_commit();
        tile_regs_wait();
        for (uint32_t tile = 0; tile < block_ct_dim; tile++)
            td_pack_rows_(tile, cb_out, row, block * block_ct_dim + tile, full_ct_dim);
        tile_regs_release();
    }
}
} // namespace ckernel
#endif
