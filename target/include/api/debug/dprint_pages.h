/* Pages of numbers in L1, and whole tiles, as lines of text; by tt-metal's path and names. C++. */
#ifndef TENDRIL_API_DEBUG_DPRINT_PAGES_H
#define TENDRIL_API_DEBUG_DPRINT_PAGES_H
#include "api/debug/dprint.h"

/* "n: a b c", a line for each of the pages from number `start` on. */
template <DataFormat FORMAT>
static inline void td_print_pages_(uint32_t address, uint32_t elements, uint32_t pages, uint32_t start)
{
#ifdef TD_PROFILE
    for (uint32_t page = start; page < start + pages; page++) {
        DPRINT << page << ": ";
        for (uint32_t i = 0; i < elements; i++) {
            td_print_element_(td_print_state, static_cast<uint32_t>(FORMAT), address, page * elements + i);
            DPRINT << " ";
        }
        DPRINT << ENDL();
    }
#else
    (void)address, (void)elements, (void)pages, (void)start;
#endif
}
#define TD_PRINT_PAGES_(name, format)                                                                        \
    static inline void name(uint32_t address, uint32_t elements, uint32_t pages, uint32_t start = 0)         \
    {                                                                                                        \
        td_print_pages_<DataFormat::format>(address, elements, pages, start);                                \
    }
TD_PRINT_PAGES_(print_bf16_pages, Float16_b)
TD_PRINT_PAGES_(print_f32_pages, Float32)
TD_PRINT_PAGES_(print_u8_pages, UInt8)
TD_PRINT_PAGES_(print_u16_pages, UInt16)
TD_PRINT_PAGES_(print_u32_pages, UInt32)
#undef TD_PRINT_PAGES_

static inline void print_cb_details(uint32_t cb)
{
    LocalCBInterface &of = get_local_cb_interface(cb);
    DPRINT << "cb_id " << cb << ": { size: " << of.fifo_size << ", limit: " << of.fifo_limit
           << ", page_size: " << of.fifo_page_size << ", num_pages: " << of.fifo_num_pages
           << ", rd_ptr: " << of.fifo_rd_ptr << ", wr_ptr: " << of.fifo_wr_ptr << " }" << ENDL();
    (void)of;
}

namespace tt::compute::common
{
static inline void print_tile_rows(uint32_t cb, uint32_t tile, bool untilize = false, uint16_t first_row = 0,
                                   uint16_t end_row = 32, uint8_t first_column = 0, uint8_t end_column = 32)
{
    for (uint32_t row = first_row; row < end_row; row++) {
        const SliceRange range = {
            static_cast<uint8_t>(row), static_cast<uint8_t>(row + 1), 1, first_column, end_column, 1};
#ifdef COMPILE_FOR_TRISC
        DPRINT << row << " " << TileSlice<>(cb, tile, range, true, untilize);
#else
        DPRINT << row << " " << TileSlice<>(cb, tile, range, TSLICE_INPUT_CB, TSLICE_RD_PTR, true, untilize);
#endif
        (void)range;
    }
    (void)cb, (void)tile, (void)untilize;
}

static inline void print_full_tile(uint32_t cb, uint32_t tile = 0, bool untilize = false)
{
    print_tile_rows(cb, tile, untilize);
}
} // namespace tt::compute::common
#endif
