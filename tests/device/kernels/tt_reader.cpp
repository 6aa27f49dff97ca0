/* BRISC: pages of a buffer in DRAM into circular buffer 0, by three kinds of accesses in turn. */
void kernel_main()
{
    const uint32_t base = get_arg_val<uint32_t>(0);
    const uint32_t pages = get_arg_val<uint32_t>(1);
    constexpr uint32_t cb = tt::CBIndex::c_0;
    const uint32_t bytes = get_tile_size(cb);
    constexpr auto args = TensorAccessorArgs<1>();
    const auto tensor = TensorAccessor(args, base, bytes);
    const InterleavedAddrGenFast<true> fast = {
        .bank_base_address = base, .page_size = bytes, .data_format = get_dataformat(cb)};
    const InterleavedAddrGen<true> plain = {.bank_base_address = base, .page_size = bytes};
    for (uint32_t i = 0; i < pages; i++) {
        DeviceZoneScopedN("read page");
        cb_reserve_back(cb, 1);
        const uint32_t to = get_write_ptr(cb);
        if (i % 3 == 0) {
            noc_async_read_tile(i, tensor, to);
        } else if (i % 3 == 1) {
            noc_async_read_tile(i, fast, to);
        } else {
            const uint64_t from = get_noc_addr(i, plain);
            noc_async_read_one_packet_set_state(from, bytes);
            noc_async_read_one_packet_with_state(static_cast<uint32_t>(from), to);
        }
        noc_async_read_barrier();
        cb_push_back(cb, 1);
    }
    DPRINT << "read " << pages << " pages of " << HEX() << bytes << DEC() << ' ' << F32(-2.5f) << ENDL();
}
