/* Tiles of circular buffers to Dst, by tt-metal's names. */
#ifndef TENDRIL_API_COMPUTE_TILE_MOVE_COPY_H
#define TENDRIL_API_COMPUTE_TILE_MOVE_COPY_H
#include "api/compute/common.h"

namespace ckernel
{
static uint32_t td_copy_options_ __attribute__((unused)); /* of the last init */

ALWI void copy_tile_to_dst_init_short(uint32_t = 0, uint32_t transpose = 0)
{
    td_copy_options_ = transpose ? TD_COMPUTE_TRANSPOSE : 0;
}
ALWI void copy_tile_init(uint32_t = 0)
{
    copy_tile_to_dst_init_short();
}
ALWI void copy_tile_to_dst_init_short_with_dt(uint32_t, uint32_t, uint32_t transpose = 0)
{
    copy_tile_to_dst_init_short(0, transpose);
}
ALWI void unary_op_init_common(uint32_t, uint32_t = 16)
{
    copy_tile_to_dst_init_short();
}

/* Of the layer below: tiles are transposed, faces and their elements. */
template <auto... OPTIONS> ALWI void llk_unpack_A_init(uint32_t transpose = 0, uint32_t = 0, uint32_t = 0)
{
    copy_tile_to_dst_init_short(0, transpose);
}
ALWI void td_copy_tile_(uint32_t cb, uint32_t tile, uint32_t dst, uint32_t unpack_options)
{
    TD_UNPACK_((td_compute_start(TD_COMPUTE_UNPACK_A, td_tile_at_(cb, tile), 0, td_kernel_cb_(cb)->format, 0,
                                 unpack_options)));
    TD_MATH_((td_compute_start(TD_COMPUTE_COPY, 0, 0, 0, dst, td_dst_options_)));
}
ALWI void copy_tile(uint32_t cb, uint32_t tile, uint32_t dst)
{
    td_copy_tile_(cb, tile, dst, td_copy_options_);
}
ALWI void copy_block_matmul_partials(uint32_t cb, uint32_t first_tile, uint32_t first_dst, uint32_t tiles)
{
    for (uint32_t i = 0; i < tiles; i++)
        copy_tile(cb, first_tile + i, first_dst + i);
}
} // namespace ckernel
#endif
