/* BRISC: what tt_reader.cpp does, with tt-metal's classes of 2026. */
#include "api/core_local_mem.h"
#include "api/dataflow/dataflow_buffer.h"
#include "api/dataflow/endpoints.h"
#include "api/dataflow/noc_semaphore.h"
#include "api/tensor/noc_traits.h"

#include <cstdlib>

void kernel_main()
{
    const uint32_t pages = get_arg_val<uint32_t>(1);
    Noc noc;
    DataflowBuffer buffer(tt::CBIndex::c_0);
    const uint32_t bytes = buffer.get_entry_size();
    constexpr auto args = TensorAccessorArgs<1>();
    const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(0), bytes);
    for (uint32_t i = 0; i < pages; i++) {
        buffer.reserve_back(1);
        const CoreLocalMem<uint32_t> words(buffer.get_write_ptr());
        const uint64_t from = tensor.get_noc_addr(i);
        if (i % 4 == 0) {
            noc.async_read(tensor, buffer, bytes, {.page_id = i}, {.offset_bytes = 0});
        } else if (i % 4 == 1) { /* in two parts */
            noc.async_read(tensor, words, 4, {.page_id = i}, {});
            noc.async_read(tensor, words + 1, bytes - 4, {.page_id = i, .offset_bytes = 4}, {});
        } else if (i % 4 == 2) {
            noc.async_read(UnicastEndpoint{}, use<CircularBuffer::AddrSelector::WRITE_PTR>(buffer), bytes,
                           {.noc_x = td_noc_x_(from), .noc_y = td_noc_y_(from), .addr = (uint32_t)from}, {});
        } else {
            noc.async_write_zeros(buffer, bytes);
            noc.write_zeros_l1_barrier();
            if (words[0] != 0 || words[bytes / 4 - 1] != 0)
                std::exit(1);
            noc.set_async_read_state(tensor, bytes, {.page_id = i});
            noc.async_read_with_state(tensor, buffer, bytes, {.page_id = i}, {});
        }
        noc.async_read_barrier();
        buffer.push_back(1);
    }
    /* Semaphore 0 up and down again, by this tile itself over the NoC. */
    Semaphore<> semaphore(0);
    semaphore.up(noc, my_x[0], my_y[0], 2);
    noc.async_atomic_barrier();
    semaphore.down(2);
}
