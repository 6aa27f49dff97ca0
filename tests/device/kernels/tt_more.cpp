/* TRISC0 to 2: pairs of tiles of buffers 0 and 1, in the way that the common argument says, to buffer 16. */
#include "api/compute/bcast.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/reduce.h"
#include "api/compute/tilize.h"
#include "api/compute/transpose_wh.h"
#include "api/compute/untilize.h"
#include "compute_kernel_api/eltwise_unary/sfpu_split_includes.h"

constexpr auto in = tt::CBIndex::c_0, other = tt::CBIndex::c_1, out = tt::CBIndex::c_16;

static void compute(uint32_t kind)
{
    switch (kind) {
    case 0:
        init_bcast<ELWADD, BroadcastType::COL>(in, other, out);
        return add_tiles_bcast_cols(in, other, 0, 0, 0);
    case 1:
        sub_bcast_rows_init_short(in, other);
        return sub_tiles_bcast<BroadcastType::ROW>(in, other, 0, 0, 0);
    case 2:
        return mul_tiles_bcast_scalar(in, other, 0, 0, 0);
    case 3:
        reduce_init<true, PoolType::SUM, ReduceDim::REDUCE_ROW>(in, other, out);
        return reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(in, other, 0, 0, 0);
    case 4:
        return reduce_tile<PoolType::MAX, ReduceDim::REDUCE_COL>(in, other, 0, 0, 0);
    case 5:
        return reduce_tile<PoolType::SUM, ReduceDim::REDUCE_SCALAR>(in, other, 0, 0, 0);
    case 6:
        transpose_wh_init(in, out);
        return transpose_wh_tile(in, 0, 0);
    case 7:
        copy_tile(in, 0, 0);
        binary_dest_reuse_tiles_init<ELWSUB, EltwiseBinaryReuseDestType::DST_TO_SRCB>(other);
        return binary_dest_reuse_tiles<ELWSUB, EltwiseBinaryReuseDestType::DST_TO_SRCB>(other, 0, 0);
    case 8:
        copy_tile(in, 0, 0);
        add_unary_tile(0, 0x3f000000); /* 0.5 */
        return relu_max_tile(0, 2.0f);
    default:
        copy_tile(in, 0, 0);
        copy_tile(other, 0, 1);
        mul_binary_tile(0, 1);
        copy_dest_values(0, 2);
        return max_tile(0, 1);
    }
}

static void move_rows(uint32_t kind)
{
    cb_wait_front(in, 2);
    cb_reserve_back(out, 2);
    if (kind == 10) {
        tilize_init(in, 2, out);
        tilize_block(in, 2, out);
    } else {
        untilize_init(in, out);
        untilize_block(in, 2, out);
    }
    cb_push_back(out, 2);
    cb_pop_front(in, 2);
    cb_wait_front(other, 2);
    cb_pop_front(other, 2);
}

void kernel_main()
{
    const uint32_t tiles = get_arg_val<uint32_t>(0), kind = get_common_arg_val<uint32_t>(0);
    binary_op_init_common(in, other, out);
    for (uint32_t i = 0; kind >= 10 && i < tiles; i += 2)
        move_rows(kind);
    for (uint32_t i = 0; kind < 10 && i < tiles; i++) {
        cb_wait_front(in, 1);
        cb_wait_front(other, 1);
        tile_regs_acquire();
        compute(kind);
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
