/* Products of matrices that are tiles, by tt-metal's names. They add to Dst. */
#ifndef TENDRIL_API_COMPUTE_MATMUL_H
#define TENDRIL_API_COMPUTE_MATMUL_H
#include "api/compute/binary_unit.h"

/* How much a card holds back its engine; nothing here. */
#ifndef MM_THROTTLE
#define MM_THROTTLE 0
#endif

namespace ckernel
{
static uint32_t td_matmul_options_ __attribute__((unused)); /* of the last init */

ALWI void matmul_init(uint32_t = 0, uint32_t = 1, uint32_t transpose = 0)
{
    td_matmul_options_ = transpose ? TD_COMPUTE_TRANSPOSE : 0;
}
ALWI void mm_init(uint32_t cb0 = 0, uint32_t cb1 = 1, uint32_t = 16, uint32_t transpose = 0)
{
    matmul_init(cb0, cb1, transpose);
}
ALWI void mm_init_short(uint32_t cb0 = 0, uint32_t cb1 = 1, uint32_t transpose = 0)
{
    matmul_init(cb0, cb1, transpose);
}
ALWI void mm_init_short_with_dt(uint32_t cb0, uint32_t cb1, uint32_t, uint32_t transpose = 0)
{
    matmul_init(cb0, cb1, transpose);
}

ALWI void matmul_tiles(uint32_t cb0, uint32_t cb1, uint32_t tile0, uint32_t tile1, uint32_t dst)
{
    td_two_tiles_(TD_COMPUTE_MATMUL, cb0, cb1, tile0, tile1, dst, 0, td_matmul_options_);
}
/* Before 2026 the calls had the transposition, too. */
ALWI void matmul_tiles(uint32_t cb0, uint32_t cb1, uint32_t tile0, uint32_t tile1, uint32_t dst,
                       uint32_t transpose)
{
    td_two_tiles_(TD_COMPUTE_MATMUL, cb0, cb1, tile0, tile1, dst, 0, transpose ? TD_COMPUTE_TRANSPOSE : 0);
}
ALWI void matmul_tile(uint32_t cb0, uint32_t cb1, uint32_t tile0, uint32_t tile1, uint32_t dst,
                      uint32_t transpose = 0)
{
    matmul_tiles(cb0, cb1, tile0, tile1, dst, transpose);
}

/* rows x columns tiles of Dst from one column of tiles of the first buffer (`depth` tiles from one to the
 * next) and one row of the second. */
ALWI void mm_block_init(uint32_t cb0 = 0, uint32_t cb1 = 1, uint32_t = 16, uint32_t transpose = 0,
                        uint32_t = 1, uint32_t = 1, uint32_t = 1)
{
    matmul_init(cb0, cb1, transpose);
}
ALWI void mm_block_init_short(uint32_t cb0 = 0, uint32_t cb1 = 1, uint32_t transpose = 0, uint32_t = 1,
                              uint32_t = 1, uint32_t = 1)
{
    matmul_init(cb0, cb1, transpose);
}
ALWI void mm_block_init_short_with_dt(uint32_t cb0, uint32_t cb1, uint32_t, uint32_t transpose = 0,
                                      uint32_t = 1, uint32_t = 1, uint32_t = 1)
{
    matmul_init(cb0, cb1, transpose);
}
ALWI void matmul_block_init(uint32_t cb0, uint32_t cb1, uint32_t transpose = 0, uint32_t = 1, uint32_t = 1,
                            uint32_t = 1)
{
    matmul_init(cb0, cb1, transpose);
}
ALWI void matmul_block(uint32_t cb0, uint32_t cb1, uint32_t tile0, uint32_t tile1, uint32_t dst,
                       uint32_t transpose, uint32_t columns, uint32_t rows, uint32_t depth)
{
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t column = 0; column < columns; column++)
            matmul_tiles(cb0, cb1, tile0 + row * depth, tile1 + column, dst + row * columns + column,
                         transpose);
}
ALWI void mm_block_init_short_with_both_dt(uint32_t cb0, uint32_t cb1, uint32_t, uint32_t,
                                           uint32_t transpose = 0, uint32_t = 1, uint32_t = 1, uint32_t = 1)
{
    matmul_init(cb0, cb1, transpose);
}

/* The halves of a product on TRISC0 and TRISC1: no core of this unit knows both. */
TD_REFUSED_(llk_unpack_AB_matmul_init)
TD_REFUSED_(llk_unpack_AB_matmul)
TD_REFUSED_(llk_math_matmul_init)
TD_REFUSED_(llk_math_matmul)
} // namespace ckernel
#endif
