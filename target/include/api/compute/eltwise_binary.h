/* Sums, differences and products of tiles, element by element, by tt-metal's names. Products add to Dst, whose
 * elements are 0 at first. */
#ifndef TENDRIL_API_COMPUTE_ELTWISE_BINARY_H
#define TENDRIL_API_COMPUTE_ELTWISE_BINARY_H
#include "api/compute/binary_unit.h"

namespace ckernel
{
enum class EltwiseBinaryType : uint8_t { ELWMUL, ELWADD, ELWSUB };
constexpr auto ELWMUL = EltwiseBinaryType::ELWMUL;
constexpr auto ELWADD = EltwiseBinaryType::ELWADD;
constexpr auto ELWSUB = EltwiseBinaryType::ELWSUB;

static uint32_t td_sum_options_ __attribute__((unused)); /* of the last init */

ALWI void binary_op_init_common(uint32_t, uint32_t, uint32_t = 16)
{
    td_sum_options_ = 0;
}
template <bool full_init, EltwiseBinaryType type>
ALWI void binary_tiles_init(uint32_t, uint32_t, bool acc_to_dest = false)
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
} // namespace ckernel
#endif
