/* tt-metal's other names of functions of tiles of Dst, and those that this unit does not know. Included by
 * compute_kernel_api.h. A kernel that calls one of the latter is refused: the call is a message on TRISC1, which then
 * ends its launch. */
#ifndef TENDRIL_API_COMPUTE_MORE_FUNCTIONS_H
#define TENDRIL_API_COMPUTE_MORE_FUNCTIONS_H
#include "api/compute/common.h"

#include <array>
#include <cstdlib>

namespace ckernel
{
/* ---- of one tile of integers, with a parameter */
/* clang-format off */
#define TD_INTEGER_NAMES(X)                                                                                  \
    X(add_unary_tile_int32, plus_int32) X(sub_unary_tile_int32, minus_int32)                                 \
    X(rsub_unary_int32_tile, from_int32) X(unary_max_int32_tile, int32_max)                                  \
    X(unary_min_int32_tile, int32_min) X(unary_max_uint32_tile, max_uint32)                                  \
    X(unary_min_uint32_tile, min_uint32) X(unary_eq_tile_int32, int32_eq)                                    \
    X(unary_ne_tile_int32, int32_ne) X(unary_lt_tile_int32, int32_lt)                                        \
    X(unary_le_tile_int32, int32_le) X(unary_gt_tile_int32, int32_gt)                                        \
    X(unary_ge_tile_int32, int32_ge) X(eqz_tile_int32, int32_eq) X(eqz_tile_uint16, int32_eq)                \
    X(eqz_tile_uint32, int32_eq) X(nez_tile_int32, int32_ne) X(nez_tile_uint16, int32_ne)                    \
    X(nez_tile_uint32, int32_ne) X(ltz_tile_int32, int32_lt) X(lez_tile_int32, int32_le)                     \
    X(gtz_tile_int32, int32_gt) X(gez_tile_int32, int32_ge) X(signbit_tile_int32, int32_lt)                  \
    X(abs_tile_int32, abs_int32) X(negative_tile_int32, negative_int32)                                      \
    X(relu_tile_int32, int32_max) X(relu_min_tile_int32, int32_max)                                          \
    X(identity_tile_uint32, plus_int32) X(fill_tile_int, fill_int) X(fill_tile_uint, fill_int)
/* clang-format on */
#define TD_X(name, as)                                                                                       \
    TD_SETTING_(name##_init)                                                                                 \
    template <auto... OPTIONS> ALWI void name(uint32_t dst, uint32_t parameter = 0)                          \
    {                                                                                                        \
        as##_tile(dst, parameter);                                                                           \
    }
TD_INTEGER_NAMES(TD_X)
#undef TD_X
ALWI void clamp_tile_int32(uint32_t dst, uint32_t least, uint32_t greatest)
{
    clamp_int32_tile(dst, least, greatest);
}
ALWI void relu_max_tile_int32(uint32_t dst, uint32_t greatest)
{
    clamp_int32_tile(dst, 0, greatest);
}
template <DataFormat format = DataFormat::Float16_b> ALWI void logical_not_tile(uint32_t dst)
{
    if constexpr (format == DataFormat::Int32 || format == DataFormat::UInt32 || format == DataFormat::UInt16)
        int32_eq_tile(dst, 0);
    else
        eqz_tile(dst);
}

/* ---- of one tile of floats */
TD_SETTING_(logical_not_tile_init)
TD_SETTING_(rounding_op_tile_init)
TD_SETTING_(power_iterative_tile_init)
TD_SETTING_(exp_packthread_tile_init)
template <auto... OPTIONS, typename... Others> ALWI void exp_packthread_tile(uint32_t dst, Others...)
{
    exp_tile(dst);
}
ALWI void power_iterative_tile(uint32_t dst, uint32_t exponent)
{
    power_tile(dst, exponent);
}
ALWI void fill_tile_bitcast(uint32_t dst, uint32_t bits)
{
    fill_tile(dst, bits);
}
ALWI void round_tile(uint32_t dst, int32_t decimals)
{
    round_to_tile(dst, static_cast<float>(decimals));
}
ALWI void softplus_tile(uint32_t dst, uint32_t beta, uint32_t, uint32_t threshold)
{
    td_function_(TD_COMPUTE_UNARY, TD_COMPUTE_FUNCTION_softplus, beta, threshold, dst);
}
TD_SETTING_(typecast_tile_init)
template <uint32_t from, uint32_t to> ALWI void typecast_tile(uint32_t dst)
{
    td_function_(TD_COMPUTE_UNARY, TD_COMPUTE_FUNCTION_typecast, from, to, dst);
}
TD_SETTING_(transpose_wh_dest_init_short)
template <auto... OPTIONS> ALWI void transpose_wh_dest(uint32_t dst)
{
    td_function_(TD_COMPUTE_UNARY, TD_COMPUTE_FUNCTION_transpose, 0, 0, dst);
}
/* The same numbers for the same seed, each time; not those of a card. */
static uint32_t td_rand_seed_ __attribute__((unused));
ALWI void rand_tile_init(uint32_t seed = 0)
{
    td_rand_seed_ = seed * 65536u;
}
ALWI void rand_tile(uint32_t dst, uint32_t from, uint32_t width)
{
    TD_MATH_((td_compute_start(TD_COMPUTE_UNARY, from, width, td_rand_seed_++, dst,
                               td_dst_options_ | TD_COMPUTE_FUNCTION_rand << TD_COMPUTE_FUNCTION_SHIFT)));
}

/* ---- of two tiles */
/* clang-format off */
#define TD_BINARY_NAMES(X)                                                                                   \
    X(bitwise_and_uint32_binary_tile, bitwise_and) X(bitwise_or_uint32_binary_tile, bitwise_or)              \
    X(bitwise_xor_uint32_binary_tile, bitwise_xor) X(bitwise_and_uint16_binary_tile, bitwise_and)            \
    X(bitwise_or_uint16_binary_tile, bitwise_or) X(bitwise_xor_uint16_binary_tile, bitwise_xor)              \
    X(binary_left_shift_tile, left_shift) X(binary_right_shift_tile, right_shift)                            \
    X(binary_logical_right_shift_tile, logical_right_shift) X(lt_int32_tile, lt)                             \
    X(gt_int32_tile, gt) X(le_int32_tile, le) X(ge_int32_tile, ge) X(lt_uint16_tile, lt)                     \
    X(gt_uint16_tile, gt) X(binary_max_int32_tile, max) X(binary_min_int32_tile, min)                        \
    X(binary_max_uint32_tile, max_uint32) X(binary_min_uint32_tile, min_uint32)                              \
    X(fmod_int32_tile, fmod) X(remainder_int32_tile, remainder) X(gcd_tile, gcd) X(lcm_tile, lcm)            \
    X(div_int32_tile, div) X(div_int32_trunc_tile, div_trunc) X(div_int32_floor_tile, div_floor)             \
    X(rsub_int_tile, rsub_int) X(mask_posinf_tile, mask_posinf)
/* clang-format on */
#define TD_X(name, as)                                                                                       \
    TD_SETTING_(name##_init)                                                                                 \
    template <auto... OPTIONS> ALWI void name(uint32_t a, uint32_t b, uint32_t dst = UINT32_MAX)             \
    {                                                                                                        \
        as##_binary_tile(a, b, dst);                                                                         \
    }
TD_BINARY_NAMES(TD_X)
#undef TD_X
TD_SETTING_(binary_bitwise_tile_init)
TD_SETTING_(binary_shift_tile_init)
TD_SETTING_(logsigmoid_tile_init)
/* The second tile, of exp(-x), is not needed. */
ALWI void logsigmoid_tile(uint32_t a, uint32_t, uint32_t dst)
{
    logsigmoid_binary_tile(a, a, dst);
}

/* ---- what this unit does not know */
/* clang-format off */
#define TD_REFUSED_NAMES(X)                                                                                  \
    X(alt_complex_rotate90_tile) X(cumsum_tile) X(dropout_tile) X(ema_tile) X(lgamma_adjusted_tile)          \
    X(lgamma_stirling_float_tile) X(lgamma_stirling_tile) X(max_reduce_with_indices)                         \
    X(polygamma_tile) X(mul_reduce_scalar_tile) X(pack_rows) X(quant_tile) X(requant_tile)                   \
    X(dequant_tile) X(reduce_tile_math) X(reshuffle_rows_tile) X(sfpu_add_top_row) X(sfpu_bcast)             \
    X(sfpu_add_bcast_col) X(sfpu_add_bcast_row) X(sfpu_mul_bcast_col) X(sfpu_mul_bcast_row)                  \
    X(sfpu_sub_bcast_col) X(sfpu_sub_bcast_row) X(sfpu_reduce) X(sfpu_sum_int_col)                           \
    X(sfpu_sum_int_row) X(sfpu_add_int) X(stochastic_round_tile) X(tiled_prod_tile)                          \
    X(topk_local_sort) X(topk_merge) X(topk_rebuild) X(unpack_tilizeA_B_block) X(welford_clear)              \
    X(welford_restore_state) X(welford_save_state) X(xielu_tile) X(llk_math_eltwise_unary_datacopy)          \
    X(llk_unpack_A) X(llk_unpack_AB) X(llk_pack) X(llk_unpack_AB_reduce)                                     \
    X(llk_math_eltwise_binary) X(llk_unpack_tilizeA_B)
/* clang-format on */
TD_REFUSED_NAMES(TD_REFUSED_)
/* Those whose last argument may be {}. */
#define TD_REFUSED_WELFORD_(name, ...)                                                                       \
    template <size_t N> ALWI void name(__VA_ARGS__, const std::array<uint32_t, N> &)                         \
    {                                                                                                        \
        welford_clear();                                                                                     \
    }
TD_REFUSED_WELFORD_(welford_update, uint32_t, uint32_t)
TD_REFUSED_WELFORD_(welford_update_rows, uint32_t, uint32_t, uint32_t, uint32_t)
TD_REFUSED_WELFORD_(welford_finalize_to_row, uint32_t, uint32_t)
TD_REFUSED_WELFORD_(welford_finalize_to_face, uint32_t, uint32_t)
TD_REFUSED_WELFORD_(welford_finalize_to_face, uint32_t, uint32_t, uint32_t)
#undef TD_REFUSED_WELFORD_
ALWI void init_prng_seed(uint32_t seed)
{
    rand_tile_init(seed);
}
/* clang-format off */
#define TD_SETTINGS(X)                                                                                       \
    X(alt_complex_rotate90_tile_init) X(cumsum_tile_init) X(dropout_kernel_init) X(ema_init)                 \
    X(ema_clear_previous_output) X(lgamma_adjusted_tile_init) X(lgamma_stirling_float_tile_init)             \
    X(lgamma_stirling_tile_init) X(max_reduce_with_indices_init) X(polygamma_tile_init)                      \
    X(mul_reduce_scalar_init) X(mul_reduce_scalar_uninit) X(pack_rows_init) X(pack_rows_uninit)              \
    X(quant_tile_init) X(requant_tile_init) X(dequant_tile_init) X(reshuffle_rows_tile_init)                 \
    X(sfpu_add_top_row_init) X(sfpu_bcast_init) X(sfpu_bcast_col_init) X(sfpu_bcast_row_init)                \
    X(sfpu_add_bcast_col_init) X(sfpu_add_bcast_row_init) X(sfpu_mul_bcast_col_init)                         \
    X(sfpu_mul_bcast_row_init) X(sfpu_sub_bcast_col_init) X(sfpu_sub_bcast_row_init)                         \
    X(sfpu_reduce_init) X(sfpu_sum_int_init) X(tiled_prod_tile_init) X(topk_tile_init)                       \
    X(tilizeA_B_reduce_init) X(unpack_tilizeA_B_uninit) X(unpack_tilizeA_B_init)                             \
    X(unpack_tilizeA_B_dot_init) X(welford_init) X(xielu_tile_init)                                          \
    X(llk_math_eltwise_unary_datacopy_init) X(llk_pack_reconfig_l1_acc_init) X(unary_bcast_uninit)           \
    X(enable_fp32_dest_acc) X(disable_fp32_dest_acc) X(llk_unpack_tilizeA_B_init)
/* clang-format on */
TD_SETTINGS(TD_SETTING_)
} // namespace ckernel
#endif
