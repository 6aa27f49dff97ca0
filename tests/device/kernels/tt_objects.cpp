/* BRISC: copies pages of a tensor in DRAM to another one, with the objects, words and events of 2026's first half. Adds 7
 * to each word. Exits with a number of its own where something does not hold. */
#include "api/debug/checkpoint.h"
#include "api/debug/device_print.h"
#include "api/debug/pause.h"
#include "api/numeric/float32.h"
#include "experimental/circular_buffer.h"
#include "experimental/kernel_args.h"
#include "experimental/noc.h"
#include "experimental/noc_semaphore.h"
#include "tools/profiler/fabric_event_profiler.hpp"
#include "tools/profiler/synchronization_event_profiler.hpp"
#include "tt-metalium/constants.hpp"

#include <cstdlib>

using experimental::Noc;

static void expect(bool holds, int code)
{
    if (!holds)
        std::exit(code);
}

static uint32_t word_at(uint32_t address)
{
    return *reinterpret_cast<volatile uint32_t *>(address);
}

static void copy_pages(uint32_t pages)
{
    constexpr auto from_args = TensorAccessorArgs<0>();
    constexpr auto to_args = TensorAccessorArgs<from_args.next_compile_time_args_offset()>();
    const auto tensors = make_tensor_accessor_tuple(make_tensor_accessor_args_tuple<2, 0>(), 0);
    const auto all = make_abstract_tensor_accessor_wrappers(tensors);
    const auto from = TensorAccessor(from_args, get_arg_val<uint32_t>(0));
    const auto to = TensorAccessor(to_args, get_arg(experimental::RtaArg<uint32_t>{4}));
    expect(all[0].get_noc_addr(3) == from.get_noc_addr(3) && all[1].get_noc_addr(5) == to.get_noc_addr(5), 1);
    experimental::CircularBuffer buffer(get_named_compile_time_arg_val("cb"));
    Noc noc;
    for (const auto &page : from.pages(0, pages)) {
        const uint32_t i = page.page_id();
        buffer.reserve_back(1);
        {
            const auto lock = buffer.scoped_lock();
            const experimental::CoreLocalMem<uint32_t> words(buffer.get_write_ptr());
            if (i % 3 == 0) {
                noc.async_read<Noc::TxnIdMode::ENABLED>(from, buffer, 192, {.page_id = i}, {}, 1, 3);
                noc.async_read_barrier<Noc::BarrierMode::TXN_ID>(3);
            } else if (i % 3 == 1) {
                noc.set_async_read_state<Noc::VcSelection::CUSTOM, 192>(from, 192, {.page_id = i}, 1);
                noc.async_read_with_state<Noc::VcSelection::CUSTOM, 192>(from, buffer, 0, {.page_id = i}, {},
                                                                         1);
                noc.async_read_barrier();
            } else {
                noc.async_read(page, words, 192, {}, {.offset_bytes = 0});
                noc.async_read_barrier();
            }
            for (uint32_t w = 0; w < 48; w++)
                words[w] += 7;
        }
        buffer.push_back(1);
        buffer.wait_front(1);
        if (i % 2) {
            noc.async_write<Noc::TxnIdMode::DISABLED, Noc::ResponseMode::NON_POSTED>(buffer, to, 192, {},
                                                                                     {.page_id = i});
        } else {
            noc.set_async_write_state(to, 192, {.page_id = i});
            noc.async_write_with_state(buffer, to, 192, {}, {.page_id = i});
        }
        noc.async_write_barrier();
        buffer.pop_front(1);
    }
}

/* Words to this tile and to the three others. */
static void write_words(uint32_t words, uint32_t last_x, uint32_t last_y, uint32_t x, uint32_t y)
{
    const uint64_t here = get_noc_addr(words);
    noc_inline_dw_write(here, 0x11223344);
    noc_inline_dw_write<InlineWriteDst::L1>(here + 4, 5, 0xf, noc_index, NOC_UNICAST_WRITE_VC);
    noc_inline_dw_write_set_state<false, true>(here + 8, 6);
    noc_inline_dw_write_with_state(0);
    noc_inline_dw_write_with_state<true, true, false, false, true>(7, words + 12);
    noc_async_write_barrier();
    expect(word_at(words) == 0x11223344 && word_at(words + 4) == 5 && word_at(words + 8) == 6, 2);
    expect(word_at(words + 12) == 7, 3);

    Noc noc;
    experimental::Semaphore<> semaphore(0);
    semaphore.set(40);
    semaphore.inc_multicast(noc, x, y, last_x, last_y, 2, 3);
    noc_async_atomic_barrier();
    expect(semaphore.value() == 40, 4);
    const uint64_t other = get_noc_addr(last_x, last_y, get_semaphore(0));
    noc_async_read(other, words, 4);
    noc_async_read_barrier();
    expect(word_at(words) == 2, 5);
    noc_inline_mcast_dw_write(get_noc_multicast_addr(x, y, last_x, last_y, get_semaphore(0)), 9);
    noc_async_write_barrier();
    noc_async_read(other, words, 4);
    noc_async_read_barrier();
    expect(word_at(words) == 9, 6);
    semaphore.set_multicast<Noc::McastMode::INCLUDE_SRC>(noc, x, y, last_x, last_y, 4);
    noc_async_write_barrier();
    noc_async_read(other, words, 4);
    noc_async_read_barrier();
    expect(word_at(words) == 40 && semaphore.value() == 40, 7);
    invalidate_l1_cache();
}

void kernel_main()
{
    constexpr uint32_t pages = get_named_compile_time_arg_val("pages");
    static_assert(tt::constants::TILE_HW == 1024 && !float32_greater(NAN_FLOAT32, 0));
    {
        SYNC_WAIT("CB-WAIT", 4);
        copy_pages(pages);
    }
    SYNC_SIGNAL("CB-PUSH", 4);
    write_words(get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(4),
                get_arg_val<uint32_t>(5), get_arg_val<uint32_t>(6));
    RECORD_NOC_EVENT(NocEventType::FULL_BARRIER, false, 1);
    RECORD_NOC_EVENT_WITH_ADDR(NocEventType::READ, 0x1000u, get_noc_addr(0x2000u), 64, -1, false, 1);
    constexpr auto args = TensorAccessorArgs<0>();
    const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(0));
    RECORD_NOC_EVENT_WITH_ID(NocEventType::WRITE_, 0x1000u, 2u, tensor, 0, 64, -1, false, 0);
    RECORD_FABRIC_HEADER(&pages);
    DEBUG_CHECKPOINT("copied");
    PAUSE();
    int32_t less = -5;
    DPRINT("pages {} at {:#x}, {:>4}|{:<3}|{:03}, {} {{}} {:.2f} {}\n", pages, 0x1000u, less, 7, 9, true,
           1.25f, CTSTR("end"));
    DEVICE_PRINT("{1} before {0}\n", 'a', 'b');
}
