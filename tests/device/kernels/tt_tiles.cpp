/* NCRISC: tiles of two buffers in DRAM to circular buffers 0 and 1. With columns (argument 3), the tiles of the
 * products of a row of the first matrix and a column of the second one; else tile by tile. */
static void read_pair(const InterleavedAddrGenFast<true> &a, uint32_t tile_a,
                      const InterleavedAddrGenFast<true> &b, uint32_t tile_b)
{
    DeviceZoneScopedN("read tiles");
    cb_reserve_back(tt::CBIndex::c_0, 1);
    cb_reserve_back(tt::CBIndex::c_1, 1);
    noc_async_read_tile(tile_a, a, get_write_ptr(tt::CBIndex::c_0));
    noc_async_read_tile(tile_b, b, get_write_ptr(tt::CBIndex::c_1));
    noc_async_read_barrier();
    cb_push_back(tt::CBIndex::c_0, 1);
    cb_push_back(tt::CBIndex::c_1, 1);
}

void kernel_main()
{
    const uint32_t rows = get_arg_val<uint32_t>(2), columns = get_arg_val<uint32_t>(3);
    const uint32_t depth = get_arg_val<uint32_t>(4);
    const uint32_t bytes = get_tile_size(tt::CBIndex::c_0);
    const DataFormat format = get_dataformat(tt::CBIndex::c_0);
    const InterleavedAddrGenFast<true> a = {get_arg_val<uint32_t>(0), bytes, format};
    const InterleavedAddrGenFast<true> b = {get_arg_val<uint32_t>(1), bytes, format};
    if (!columns)
        for (uint32_t i = 0; i < rows; i++)
            read_pair(a, i, b, i);
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t column = 0; column < columns; column++)
            for (uint32_t k = 0; k < depth; k++)
                read_pair(a, row * depth + k, b, k * columns + column);
}
