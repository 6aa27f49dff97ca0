/* BRISC: tiles of circular buffer 16 to a buffer in DRAM. */
#include "api/dataflow/circular_buffer.h"

void kernel_main()
{
    CircularBuffer cb(tt::CBIndex::c_16);
    const InterleavedAddrGenFast<true> to = {get_arg_val<uint32_t>(0), cb.get_tile_size(),
                                             cb.get_dataformat()};
    for (uint32_t i = 0; i < get_arg_val<uint32_t>(1); i++) {
        DeviceZoneScopedN("write tile");
        cb.wait_front(1);
        noc_async_write_tile(i, to, cb.get_read_ptr());
        noc_async_write_barrier();
        cb.pop_front(1);
    }
}
