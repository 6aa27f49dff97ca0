/* BRISC: tiles of circular buffer 16 to a buffer in DRAM. */
void kernel_main()
{
    constexpr uint32_t cb = tt::CBIndex::c_16;
    const InterleavedAddrGenFast<true> to = {get_arg_val<uint32_t>(0), get_tile_size(cb), get_dataformat(cb)};
    for (uint32_t i = 0; i < get_arg_val<uint32_t>(1); i++) {
        DeviceZoneScopedN("write tile");
        cb_wait_front(cb, 1);
        noc_async_write_tile(i, to, get_read_ptr(cb));
        noc_async_write_barrier();
        cb_pop_front(cb, 1);
    }
}
