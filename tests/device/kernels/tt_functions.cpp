/* TRISC0 to 2: pairs of tiles of buffers 0 and 1 to Dst 0 and 1, the second one to Dst 2 as well; a function of each pair,
 * the next one of a group of 12 that the common argument names, to buffer 16. */
#include "api/compute/bcast.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_unary/sfpu_split_includes.h"
#include "api/compute/tile_move_copy.h"

constexpr auto in = tt::CBIndex::c_0, other = tt::CBIndex::c_1, out = tt::CBIndex::c_16;

static uint32_t bits(float value)
{
    return TD_WORD(value);
}

/* clang-format off */
static void of_one_tile(uint32_t n)
{
    switch (n) {
    case 0: return negative_tile(0);
    case 1: return abs_tile(0);
    case 2: return square_tile(0);
    case 3: return ceil_tile(0);
    case 4: return floor_tile(0);
    case 5: return trunc_tile(0);
    case 6: return frac_tile(0);
    case 7: return sign_tile(0);
    case 8: return logical_not_tile(0);
    case 9: return sigmoid_tile(0);
    case 10: return tanh_tile(0);
    default: return gelu_tile(0);
    }
}

static void of_one_tile_and_numbers(uint32_t n)
{
    switch (n) {
    case 0: return sub_unary_tile(0, bits(1.5f));
    case 1: return rsub_tile(0, bits(1.5f));
    case 2: return leaky_relu_tile(0, bits(0.25f));
    case 3: return relu_min_tile(0, bits(1));
    case 4: return clamp_tile(0, bits(-1), bits(2));
    case 5: return power_tile(0, 2);
    case 6: return unary_gt_tile(0, bits(0.5f));
    case 7: return fmod_tile(0, bits(1.5f), bits(1 / 1.5f));
    case 8: return remainder_tile(0, bits(1.5f), bits(1 / 1.5f));
    case 9: return fill_tile(0, 3.0f);
    case 10: return softplus_tile(0, bits(1), bits(1), bits(20));
    default: return threshold_tile(0, bits(0.5f), bits(3));
    }
}

static void of_tiles_of_dst(uint32_t n)
{
    switch (n) {
    case 0: return sub_binary_tile(0, 1, 0);
    case 1: return rsub_binary_tile(0, 1, 0);
    case 2: return div_binary_tile(0, 1, 0);
    case 3: return binary_min_tile(0, 1, 0);
    case 4: return binary_max_tile(0, 1, 0);
    case 5: relu_tile(1); return mask_tile(0, 1);
    case 6: ltz_tile(0); return where_tile<DataFormat::Float16_b>(0, 1, 2, 0);
    case 7: return lerp_tile<DataFormat::Float16_b>(0, 1, 2, 0);
    case 8: return addcmul_tile<DataFormat::Float16_b>(0, 1, 2, 0, bits(0.5f));
    case 9: return lt_binary_tile(0, 1, 0);
    case 10: return atan2_binary_tile(0, 1, 0);
    default: return copy_dest_values(1, 0);
    }
}

static void of_kinds_and_places(uint32_t n)
{
    switch (n) {
    case 0: typecast_tile<5, 8>(0); return typecast_tile<8, 5>(0);
    case 1: return transpose_wh_dest(0);
    case 2: return round_tile(0, 1);
    case 3: return power_iterative_tile(0, 3);
    case 4: return relu_max_tile(0, bits(2));
    case 5: return fill_tile_bitcast(0, bits(1.25f));
    case 6: return unary_max_tile(0, bits(1));
    case 7: return unary_min_tile(0, bits(1));
    case 8: return logsigmoid_tile(0, 1, 0);
    case 9: return add_tiles_bcast_rows(in, other, 0, 0, 0, 5);
    case 10: return sub_tiles_bcast<BroadcastType::ROW>(in, other, 0, 0, 0, 31);
    default: return add_tiles_bcast<BroadcastType::COL>(in, other, 0, 0, 0, 7);
    }
}

static void of_one_tile_of_integers(uint32_t n)
{
    switch (n) {
    case 0: return bitwise_and_tile(0, 0x0ff0);
    case 1: return bitwise_not_tile(0);
    case 2: return left_shift_tile(0, 3);
    case 3: return right_shift_tile(0, 3);
    case 4: return abs_tile_int32(0);
    case 5: return negative_tile_int32(0);
    case 6: return add_unary_tile_int32(0, 7);
    case 7: return rsub_unary_int32_tile(0, 7);
    case 8: return unary_max_int32_tile(0, 5);
    case 9: return gtz_tile_int32(0);
    case 10: return clamp_tile_int32(0, static_cast<uint32_t>(-100), 100);
    default: return logical_not_tile<DataFormat::Int32>(0);
    }
}

static void of_two_tiles_of_integers(uint32_t n)
{
    switch (n) {
    case 0: return bitwise_xor_binary_tile(0, 1, 0);
    case 1: bitwise_and_tile(1, 15); return binary_left_shift_tile(0, 1, 0);
    case 2: bitwise_and_tile(1, 15); return binary_logical_right_shift_tile(0, 1, 0);
    case 3: return add_int_tile<DataFormat::Int32>(0, 1, 0);
    case 4: return sub_int_tile<DataFormat::Int32>(0, 1, 0);
    case 5: return mul_int_tile<DataFormat::Int32>(0, 1, 0);
    case 6: return binary_max_int32_tile(0, 1, 0);
    case 7: return binary_min_uint32_tile(0, 1, 0);
    case 8: return gcd_tile(0, 1, 0);
    case 9: return div_int32_floor_tile(0, 1, 0);
    case 10: return remainder_int32_tile(0, 1, 0);
    default: return lt_int32_tile(0, 1, 0);
    }
}
/* clang-format on */

static void compute(uint32_t group, uint32_t n)
{
    static void (*const groups[])(uint32_t) = {
        of_one_tile,         of_one_tile_and_numbers, of_tiles_of_dst,
        of_kinds_and_places, of_one_tile_of_integers, of_two_tiles_of_integers};
    groups[group](n);
}

void kernel_main()
{
    const uint32_t tiles = get_arg_val<uint32_t>(0), group = get_common_arg_val<uint32_t>(0);
    binary_op_init_common(in, other, out);
    for (uint32_t n = 0; n < tiles; n++) {
        cb_wait_front(in, 1);
        cb_wait_front(other, 1);
        tile_regs_acquire();
        copy_tile(in, 0, 0);
        copy_tile(other, 0, 1);
        copy_tile(other, 0, 2);
        compute(group, n);
        tile_regs_commit();
        cb_pop_front(in, 1);
        cb_pop_front(other, 1);
        cb_reserve_back(out, 1);
        tile_regs_wait();
        pack_tile(0, out);
        tile_regs_release();
        cb_push_back(out, 1);
    }
}
