/* TRISC0 to 2: sums (common argument 0), differences (1) or products (2) of the tiles of buffers 0 and 1, to 16. */
#include "api/compute/eltwise_binary.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/compute_kernel_api.h"

void kernel_main()
{
    const uint32_t pages = get_arg_val<uint32_t>(0), kind = get_common_arg_val<uint32_t>(0);
    constexpr auto in0 = tt::CBIndex::c_0, in1 = tt::CBIndex::c_1, out = tt::CBIndex::c_16;
    binary_op_init_common(in0, in1, out);
    if (kind == 0)
        add_tiles_init(in0, in1);
    else if (kind == 1)
        sub_tiles_init(in0, in1);
    else
        mul_tiles_init(in0, in1);
    for (uint32_t page = 0; page < pages; page++) {
        DeviceZoneScopedN("tile");
        cb_wait_front(in0, 1);
        cb_wait_front(in1, 1);
        tile_regs_acquire();
        if (kind == 0)
            add_tiles(in0, in1, 0, 0, 0);
        else if (kind == 1)
            sub_tiles(in0, in1, 0, 0, 0);
        else
            mul_tiles(in0, in1, 0, 0, 0);
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(out, 1);
        pack_tile(0, out);
        cb_push_back(out, 1);
        cb_pop_front(in0, 1);
        cb_pop_front(in1, 1);
        tile_regs_release();
    }
}
