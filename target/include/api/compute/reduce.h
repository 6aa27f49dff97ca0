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
enum PoolType : uint8_t { SUM, AVG, MAX }; /* the scale makes a sum an average */
enum ReduceDim : uint8_t { REDUCE_ROW, REDUCE_COL, REDUCE_SCALAR };

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
    td_two_tiles_(TD_COMPUTE_REDUCE, cb, cb_scale, tile, tile_scale, dst, td_reduction_(type, dim));
}
} // namespace ckernel
#endif
