/* Two tiles of circular buffers, unpacked and computed: what sums, products and matrix products share. */
#ifndef TENDRIL_API_COMPUTE_BINARY_UNIT_H
#define TENDRIL_API_COMPUTE_BINARY_UNIT_H
#include "api/compute/common.h"

namespace ckernel
{
constexpr uint32_t td_command_of_(EltwiseBinaryType type)
{
    return type == ELWMUL ? TD_COMPUTE_MUL : type == ELWADD ? TD_COMPUTE_ADD : TD_COMPUTE_SUB;
}

ALWI void td_two_tiles_(uint32_t command, uint32_t cb0, uint32_t cb1, uint32_t tile0, uint32_t tile1,
                        uint32_t dst, uint32_t math_options, uint32_t unpack_options = 0, uint32_t row = 0)
{
    TD_UNPACK_(
        (td_compute_start(TD_COMPUTE_UNPACK_AB, td_tile_at_(cb0, tile0), td_tile_at_(cb1, tile1),
                          td_kernel_cb_(cb0)->format | td_kernel_cb_(cb1)->format << 8, 0, unpack_options)));
    TD_MATH_((td_compute_start(command, 0, row, 0, dst, td_dst_options_ | td_phases_ | math_options)));
}
} // namespace ckernel
#endif
