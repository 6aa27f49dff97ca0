/* A pipeline through the tiles of a row: reads from DRAM, passes on to the tile at the right, and the last tile multicasts
 * to its column. Arguments: local address; place and address in DRAM; place of the next tile; rounds; rows of the
 * multicast, 0: none. */
static void work(uint32_t rounds)
{
    DeviceZoneScopedN("work");
    for (volatile uint32_t i = 0; i < rounds; i = i + 1) {
    }
}

void kernel_main()
{
    const uint32_t at = td_arg_at(0), bytes = 2048, next = at + 4 * bytes, rows = td_arg_at(7);
    for (uint32_t i = 0; i < td_arg_at(6); i++) {
        {
            DeviceZoneScopedN("read input");
            noc_async_read(get_noc_addr(td_arg_at(1), td_arg_at(2), td_arg_at(3)), at, bytes);
            noc_async_read_barrier();
        }
        work(50 + 20 * i);
        {
            DeviceZoneScopedN("pass on");
            noc_async_write(at, get_noc_addr(td_arg_at(4), td_arg_at(5), next), bytes / 2);
            noc_async_write_barrier();
        }
        if (rows) {
            DeviceZoneScopedN("tell the column");
            const uint32_t x = my_x[0], y = my_y[0];
            noc_async_write_multicast_loopback_src(at, get_noc_multicast_addr(x, y, x, y + rows - 1, next),
                                                   256, rows);
            noc_async_write_barrier();
        }
    }
}
