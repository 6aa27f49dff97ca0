/* TRISC0 to 2: the product of two matrices of tiles, with the paths and names before 2025. */
#include "compute_kernel_api/tile_move_copy.h"
#include "compute_kernel_api/matmul.h"

#include <stdlib.h>

namespace NAMESPACE
{
void MAIN
{
    const uint32_t results = get_arg_val<uint32_t>(0), depth = get_arg_val<uint32_t>(1);
    constexpr auto in0 = tt::CBIndex::c_0, in1 = tt::CBIndex::c_1, out = tt::CBIndex::c_16;
    const uint32_t begin = get_timestamp_32b();
    mm_init(in0, in1, out);
    for (uint32_t i = 0; i < results; i++) {
        DeviceZoneScopedN("product");
        tile_regs_acquire();
        for (uint32_t k = 0; k < depth; k++) {
            cb_wait_front(in0, 1);
            cb_wait_front(in1, 1);
            matmul_tiles(in0, in1, 0, 0, 0, false);
            cb_pop_front(in0, 1);
            cb_pop_front(in1, 1);
        }
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(out, 1);
        pack_tile(0, out);
        cb_push_back(out, 1);
        tile_regs_release();
    }
    PACK((get_timestamp_32b() - begin < get_arg_val<uint32_t>(2) ? exit(3) : void()));
}
} // namespace NAMESPACE
