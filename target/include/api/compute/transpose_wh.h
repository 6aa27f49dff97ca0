/* Tiles with rows and columns exchanged, by tt-metal's names. */
#ifndef TENDRIL_API_COMPUTE_TRANSPOSE_WH_H
#define TENDRIL_API_COMPUTE_TRANSPOSE_WH_H
#include "api/compute/tile_move_copy.h"

namespace ckernel
{
TD_SETTING_(transpose_wh_init)
TD_SETTING_(transpose_wh_init_short)
TD_SETTING_(transpose_wh_uninit)

ALWI void transpose_wh_tile(uint32_t cb, uint32_t tile, uint32_t dst)
{
    td_copy_tile_(cb, tile, dst, TD_COMPUTE_TRANSPOSE);
}
} // namespace ckernel
#endif
