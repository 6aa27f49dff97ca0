/* TRISC0: adds a compile-time and a common argument to each word from buffer 0 to buffer 16. */
#include "compute_kernel_api.h"
namespace NAMESPACE
{
void MAIN
{
    constexpr uint32_t add = get_compile_time_arg_val(0);
    const uint32_t add_common = get_common_arg_val<uint32_t>(0);
    const uint32_t pages = get_arg_val<uint32_t>(0);
    constexpr auto in = tt::CBIndex::c_0, out = tt::CBIndex::c_16;
    for (uint32_t page = 0; page < pages; page++) {
        cb_wait_front(in, 1);
        cb_reserve_back(out, 1);
        const uint32_t *from = reinterpret_cast<const uint32_t *>(get_read_ptr(in));
        uint32_t *to = reinterpret_cast<uint32_t *>(get_write_ptr(out));
        for (uint32_t i = 0; i < get_tile_size(in) / 4; i++)
            to[i] = from[i] + add + add_common;
        cb_push_back(out, 1);
        cb_pop_front(in, 1);
    }
}
} // namespace NAMESPACE
