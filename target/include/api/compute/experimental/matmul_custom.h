/* By tt-metal's path of 2026: products of blocks as matmul.h computes them. */
#ifndef TENDRIL_API_COMPUTE_EXPERIMENTAL_MATMUL_CUSTOM_H
#define TENDRIL_API_COMPUTE_EXPERIMENTAL_MATMUL_CUSTOM_H
#include "api/compute/matmul.h"

namespace ckernel
{
TD_SETTING_(mm_no_mop_init_short)
TD_SETTING_(mm_no_mop_reinit_short)
ALWI void matmul_block_no_mop(uint32_t cb0, uint32_t cb1, uint32_t tile0, uint32_t tile1, uint32_t dst,
                              bool transpose, uint32_t columns, uint32_t rows, uint32_t depth)
{
    matmul_block(cb0, cb1, tile0, tile1, dst, transpose, columns, rows, depth);
}
} // namespace ckernel
#endif
