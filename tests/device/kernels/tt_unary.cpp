/* TRISC0 to 2: two tiles at a time from buffer 0 to Dst; their negatives' exponentials, in the other order, to 16. */
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/dataflow/circular_buffer.h"

void kernel_main()
{
    const uint32_t pairs = get_arg_val<uint32_t>(0) / 2;
    constexpr auto in = tt::CBIndex::c_0, other = tt::CBIndex::c_1, out = tt::CBIndex::c_16;
    CircularBuffer input(in), unused(other), output(out);
    unary_op_init_common(in, out);
    copy_tile_init(in);
    exp_tile_init();
    for (uint32_t i = 0; i < pairs; i++) {
        input.wait_front(2);
        unused.wait_front(2);
        unused.pop_front(2);
        tile_regs_acquire();
        for (uint32_t tile = 0; tile < 2; tile++) {
            copy_tile(in, tile, tile);
            negative_tile(tile);
            exp_tile(tile);
        }
        tile_regs_commit();
        input.pop_front(2);
        output.reserve_back(2);
        tile_regs_wait();
        pack_tile(1, out);
        pack_tile(0, out);
        tile_regs_release();
        output.push_back(2);
    }
}
