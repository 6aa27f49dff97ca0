/* NCRISC: adds a compile-time and a common argument to each word of the pages of circular buffer 0, and writes the
 * pages to DRAM; then raises semaphore 0 of tile 0,0 by its arguments. */
void kernel_main()
{
    const uint32_t base = get_arg_val<uint32_t>(0), pages = get_arg_val<uint32_t>(1);
    const uint32_t x = get_arg_val<uint32_t>(2), y = get_arg_val<uint32_t>(3);
    constexpr uint32_t add = get_compile_time_arg_val(0), cb = tt::CB::c_in0;
    const InterleavedAddrGenFast<true> to = {
        .bank_base_address = base, .page_size = get_tile_size(cb), .data_format = get_dataformat(cb)};
    for (uint32_t i = 0; i < pages; i++) {
        WAYPOINT("CWFW");
        cb_wait_front(cb, 1);
        uint32_t *words = reinterpret_cast<uint32_t *>(get_read_ptr(cb));
        for (uint32_t word = 0; word < get_tile_size(cb) / 4; word++)
            words[word] += add + get_common_arg_val<uint32_t>(0);
        noc_async_write_tile(i, to, get_read_ptr(cb));
        noc_async_write_barrier();
        cb_pop_front(cb, 1);
    }
    noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(0)), 1);
    noc_async_atomic_barrier();
}
