/* Sums, averages and greatest elements of a tile's rows, columns or all elements, by tt-metal's names. The
 * first tile of the second buffer is the scale: its first element. REDUCE_ROW gives a column, REDUCE_COL a
 * row, REDUCE_SCALAR the first element. Results of several tiles are joined in Dst. The build of an
 * operation may define REDUCE_OP and REDUCE_DIM. */
#ifndef TENDRIL_API_COMPUTE_REDUCE_H
#define TENDRIL_API_COMPUTE_REDUCE_H
#include "api/compute/binary_unit.h"

#ifndef REDUCE_OP
#define REDUCE_OP PoolType::SUM
#endif
#ifndef REDUCE_DIM
#define REDUCE_DIM ReduceDim::REDUCE_ROW
#endif

namespace ckernel
{
constexpr uint32_t td_reduction_(PoolType type, ReduceDim dim)
{
    return (type == MAX ? TD_COMPUTE_REDUCE_MAX : 0) | (dim != REDUCE_COL ? TD_COMPUTE_REDUCE_ROWS : 0) |
           (dim != REDUCE_ROW ? TD_COMPUTE_REDUCE_COLUMNS : 0);
}

TD_SETTING_(reduce_init)
TD_SETTING_(reduce_init_short)
TD_SETTING_(reduce_init_short_with_dt)
TD_SETTING_(reduce_init_delta)
TD_SETTING_(reduce_init_delta_no_pack)
TD_SETTING_(reduce_init_delta_with_dt)
TD_SETTING_(reduce_init_delta_math)
TD_SETTING_(reduce_revert_delta)
TD_SETTING_(reduce_uninit)

template <PoolType type = REDUCE_OP, ReduceDim dim = REDUCE_DIM, auto... OPTIONS>
ALWI void reduce_tile(uint32_t cb, uint32_t cb_scale, uint32_t tile, uint32_t tile_scale, uint32_t dst)
{
    static_assert(type != MIN, "this board's unit finds no least elements");
    td_two_tiles_(TD_COMPUTE_REDUCE, cb, cb_scale, tile, tile_scale, dst, td_reduction_(type, dim));
}

/* The greatest element of each row of tiles that are next to each other. */
TD_SETTING_(reduce_block_max_row_init)
TD_SETTING_(reduce_block_max_row_uninit)
template <uint32_t tiles, auto... OPTIONS>
ALWI void reduce_block_max_row(uint32_t cb, uint32_t cb_scale, uint32_t first, uint32_t dst)
{
    for (uint32_t tile = 0; tile < tiles; tile++)
        reduce_tile<MAX, REDUCE_ROW>(cb, cb_scale, first + tile, 0, dst);
}
} // namespace ckernel
#endif
