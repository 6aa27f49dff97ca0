/* Sums, differences and products of tiles, element by element, by tt-metal's names. Products add to Dst,
 * whose elements are 0 at first. With binary_dest_reuse_tiles(), a tile of Dst is one operand and gets the
 * result. */
#ifndef TENDRIL_API_COMPUTE_ELTWISE_BINARY_H
#define TENDRIL_API_COMPUTE_ELTWISE_BINARY_H
#include "api/compute/binary_unit.h"

namespace ckernel
{
static uint32_t td_sum_options_ __attribute__((unused)); /* of the last init */

ALWI void binary_op_init_common(uint32_t, uint32_t, uint32_t = 16)
{
    td_sum_options_ = 0;
}
template <bool full_init, EltwiseBinaryType type>
ALWI void binary_tiles_init(uint32_t = 0, uint32_t = 1, bool acc_to_dest = false)
{
    td_sum_options_ = type != ELWMUL && acc_to_dest ? TD_COMPUTE_ADD_TO_DST : 0;
}
ALWI void add_tiles_init(uint32_t cb0 = 0, uint32_t cb1 = 1, bool acc_to_dest = false)
{
    binary_tiles_init<true, ELWADD>(cb0, cb1, acc_to_dest);
}
ALWI void sub_tiles_init(uint32_t cb0 = 0, uint32_t cb1 = 1, bool acc_to_dest = false)
{
    binary_tiles_init<true, ELWSUB>(cb0, cb1, acc_to_dest);
}
ALWI void mul_tiles_init(uint32_t cb0 = 0, uint32_t cb1 = 1, uint32_t = 1)
{
    binary_tiles_init<true, ELWMUL>(cb0, cb1, true);
}

/* The names before 2025. */
ALWI void add_tiles_init_nof()
{
    add_tiles_init();
}
ALWI void sub_tiles_init_nof()
{
    sub_tiles_init();
}
ALWI void mul_tiles_init_f()
{
    mul_tiles_init();
}
template <bool full_init = false, EltwiseBinaryType type = ELWADD> ALWI void binary_op_specific_init()
{
    binary_tiles_init<full_init, type>();
}

ALWI void add_tiles(uint32_t cb0, uint32_t cb1, uint32_t tile0, uint32_t tile1, uint32_t dst)
{
    td_two_tiles_(TD_COMPUTE_ADD, cb0, cb1, tile0, tile1, dst, td_sum_options_);
}
ALWI void sub_tiles(uint32_t cb0, uint32_t cb1, uint32_t tile0, uint32_t tile1, uint32_t dst)
{
    td_two_tiles_(TD_COMPUTE_SUB, cb0, cb1, tile0, tile1, dst, td_sum_options_);
}
ALWI void mul_tiles(uint32_t cb0, uint32_t cb1, uint32_t tile0, uint32_t tile1, uint32_t dst)
{
    td_two_tiles_(TD_COMPUTE_MUL, cb0, cb1, tile0, tile1, dst, TD_COMPUTE_ADD_TO_DST);
}

TD_SETTING_(binary_dest_reuse_tiles_init)

template <EltwiseBinaryType type = ELWADD,
          EltwiseBinaryReuseDestType reuse = EltwiseBinaryReuseDestType::DST_TO_SRCA>
ALWI void binary_dest_reuse_tiles(uint32_t cb, uint32_t tile, uint32_t dst)
{
    constexpr uint32_t operand =
        reuse == EltwiseBinaryReuseDestType::DST_TO_SRCB ? TD_COMPUTE_DST_IS_B : TD_COMPUTE_DST_IS_A;
    TD_UNPACK_(
        (td_compute_start(TD_COMPUTE_UNPACK_A, td_tile_at_(cb, tile), 0, td_kernel_cb_(cb)->format, 0, 0)));
    TD_MATH_((td_compute_start(td_command_of_(type), 0, 0, 0, dst, td_dst_options_ | td_phases_ | operand)));
}
} // namespace ckernel
#endif
