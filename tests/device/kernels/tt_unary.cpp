/* TRISC0 to 2: two tiles at a time from buffer 0 to Dst; their negatives' exponentials, in the other order, to 16. */
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_unary/exp.h"

void kernel_main()
{
    const uint32_t pairs = get_arg_val<uint32_t>(0) / 2;
    constexpr auto in = tt::CBIndex::c_0, other = tt::CBIndex::c_1, out = tt::CBIndex::c_16;
    unary_op_init_common(in, out);
    copy_tile_init(in);
    exp_tile_init();
    for (uint32_t i = 0; i < pairs; i++) {
        cb_wait_front(in, 2);
        cb_wait_front(other, 2);
        cb_pop_front(other, 2);
        tile_regs_acquire();
        for (uint32_t tile = 0; tile < 2; tile++) {
            copy_tile(in, tile, tile);
            negative_tile(tile);
            exp_tile(tile);
        }
        tile_regs_commit();
        cb_pop_front(in, 2);
        cb_reserve_back(out, 2);
        tile_regs_wait();
        pack_tile(1, out);
        pack_tile(0, out);
        tile_regs_release();
        cb_push_back(out, 2);
    }
}
