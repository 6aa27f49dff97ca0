/* BRISC: reads a sharded tensor in L1 page by page, shard by shard and by iterators; the first word of a page is its
 * number, that of a shard's room without a page is all ones. Compile-time arguments: bytes of a page, what is wanted of
 * the next argument's number, and the tensor's description, of which the common arguments may have a part. */
#include "experimental/noc.h"

#include <cstdlib>

static uint32_t word_at(uint32_t address)
{
    return *reinterpret_cast<volatile uint32_t *>(address);
}

static void expect(bool holds, int code)
{
    if (!holds)
        std::exit(code);
}

void kernel_main()
{
    constexpr auto args = TensorAccessorArgs<2, 0>();
    static_assert(args.next_compile_time_args_offset() == get_compile_time_arg_val(1));
    const uint32_t pages = get_arg_val<uint32_t>(1), to = get_arg_val<uint32_t>(2);
    const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(0), get_compile_time_arg_val(0));
    const auto aligned = TensorAccessor(args, get_arg_val<uint32_t>(0));
    expect(aligned.get_aligned_page_size() == 32 && tensor.dspec().tensor_volume() == pages, 100);
    for (uint32_t page = 0; page < pages; page++) {
        noc_async_read_page(page, tensor, to);
        noc_async_read_barrier();
        expect(word_at(to) == page, static_cast<int>(page + 1));
    }
    uint32_t seen = 0;
    for (const auto &page : aligned.pages()) {
        expect(page.page_id() == seen && page.noc_addr() == aligned.get_noc_addr(seen), 101);
        seen++;
    }
    expect(seen == pages, 102);
    const uint32_t shard_pages = tensor.dspec().shard_volume();
    seen = 0;
    for (uint32_t shard = 0; shard < 6; shard++) {
        noc_async_read_shard(shard, tensor, to);
        noc_async_read_barrier();
        uint32_t there = 0;
        for (uint32_t i = 0; i < shard_pages; i++)
            there += word_at(to + 32 * i) != ~0u;
        for (const auto &page : tensor.shard_pages(shard)) {
            experimental::Noc noc;
            noc.async_read(page, experimental::CoreLocalMem<uint32_t>(to), 20, {}, {});
            noc.async_read_barrier();
            expect(word_at(to) == page.page_id(), 103);
            expect(tensor.is_local_page(page.page_id()) == tensor.is_local_shard(shard), 104);
            there--;
            seen++;
        }
        expect(there == 0, 105);
    }
    expect(seen == pages, 106);
    /* By its place: row 4, column 5 is page 29, and of the shards the last one. */
    const uint32_t last[2] = {4, 5}, last_shard[2] = {2, 1};
    expect(tensor.get_noc_addr(last) == tensor.get_noc_addr(29u), 107);
    expect(tensor.get_shard_noc_addr(last_shard) == tensor.get_shard_noc_addr(5u), 108);
    /* There and back: what is written to a shard is what is read from it. */
    noc_async_read_shard(1, tensor, to);
    noc_async_read_barrier();
    noc_async_write_shard(1, tensor, to);
    noc_async_write_barrier();
    noc_async_read_page(4, tensor, to);
    noc_async_read_barrier();
    expect(word_at(to) == 4, 109);
}
