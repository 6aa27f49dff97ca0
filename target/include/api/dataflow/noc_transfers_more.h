/* tt-metal's further forms of transfers, made of those of noc_transfers.h and semaphores.h. C++. Numbers of command
 * buffers and of channels have no effect; a barrier of one transaction id waits for all. */
#ifndef TENDRIL_API_DATAFLOW_NOC_TRANSFERS_MORE_H
#define TENDRIL_API_DATAFLOW_NOC_TRANSFERS_MORE_H
#include "api/dataflow/banked_buffers.h"
#include "api/core_registers.h"
#include "api/dataflow/semaphores.h"

constexpr uint8_t read_cmd_buf = 0, write_cmd_buf = 1, write_reg_cmd_buf = 2, write_at_cmd_buf = 3;
constexpr uint32_t NOC_UNICAST_WRITE_VC = 1, NOC_MULTICAST_WRITE_VC = 4, NOC_DISPATCH_MULTICAST_WRITE_VC = 5;
constexpr uint32_t NOC_MAX_TRANSACTION_ID = 15, NOC_MAX_TRANSACTION_ID_COUNT = 255;
constexpr uint32_t NOC_CLEAR_OUTSTANDING_REQ_MASK = 0xffffffff;
constexpr uint32_t NUM_NOCS = 2;
constexpr uint32_t DM_DEDICATED_NOC = 0, DM_DYNAMIC_NOC = 1, DM_INVALID_NOC = 2;
constexpr uint32_t noc_mode = DM_DEDICATED_NOC;
enum class InlineWriteDst : uint8_t { DEFAULT, L1, REG };
#define DYNAMIC_NOC_X(noc, x)          (x)
#define DYNAMIC_NOC_Y(noc, y)          (y)
#define NOC_XY_ENCODING(x, y)          (td_noc_corner_(x, y) << (TD_NOC_ADDRESS_BITS - 32))
#define NOC_XY_ADDR(x, y, address)     (::get_noc_addr(x, y, 0) | (address))
#define NOC_UNICAST_ADDR_X(address)    td_noc_x_(address)
#define NOC_UNICAST_ADDR_Y(address)    td_noc_y_(address)
#define NOC_LOCAL_ADDR_OFFSET(address) td_noc_local_(address)

static inline uint64_t get_noc_addr_helper(uint32_t xy, uint32_t address)
{
    return static_cast<uint64_t>(xy) << 32 | address;
}

/* What others have written over the NoC is read from L1 by every load: nothing keeps it. */
static inline void invalidate_l1_cache()
{
    td_fence();
}

template <bool enable> static inline void set_l1_data_cache()
{
}

/* Whether all reads are done. */
static inline bool ncrisc_noc_read_with_transaction_id_flushed(uint32_t noc, uint32_t trid)
{
    (void)trid;
    td_noc_is_started_(noc);
    return td_noc_reads_are_done_(noc);
}
static inline bool ncrisc_noc_nonposted_write_with_transaction_id_flushed(uint32_t noc, uint32_t trid)
{
    (void)trid;
    td_noc_is_started_(noc);
    return td_noc_writes_are_done_(noc);
}

/* Here the NoC's registers count. */
static inline void ncrisc_noc_counters_init()
{
}
static inline void dynamic_noc_local_state_init()
{
}
static inline void noc_async_read_inc_num_issued(uint32_t count, uint8_t noc = noc_index)
{
    (void)count, (void)noc;
}
static inline void noc_async_write_set_trid(uint32_t trid = 0, uint8_t noc = noc_index)
{
    (void)trid, (void)noc;
}
static inline void noc_async_write_flushed_with_trid(uint32_t trid, uint8_t noc = noc_index)
{
    (void)trid;
    noc_async_writes_flushed(noc);
}
static inline void reset_noc_trid_barrier_counter(uint32_t mask = NOC_CLEAR_OUTSTANDING_REQ_MASK,
                                                  uint32_t noc = noc_index)
{
    (void)mask, (void)noc;
}

/* With a channel. */
template <uint32_t max_page_size = 0>
static inline void noc_async_write_multicast(uint32_t from, uint64_t to, uint32_t bytes, uint32_t tiles,
                                             bool linked, uint8_t noc, uint8_t vc)
{
    (void)vc;
    noc_async_write_multicast(from, to, bytes, tiles, linked, noc);
}
static inline void noc_semaphore_set_multicast(uint32_t from, uint64_t sems, uint32_t tiles, bool linked,
                                               uint8_t noc, uint8_t vc)
{
    (void)vc;
    noc_semaphore_set_multicast(from, sems, tiles, linked, noc);
}

/* With a command buffer. */
template <bool update_counter = true, bool posted = false>
static inline void noc_async_write_one_packet_with_trid(uint32_t from, uint64_t to, uint32_t bytes,
                                                        uint32_t trid, uint8_t cmd_buf, uint8_t noc,
                                                        uint8_t vc = 0)
{
    (void)cmd_buf, (void)vc;
    noc_async_write_one_packet_with_trid(from, to, bytes, trid, noc);
}
template <bool posted = false>
static inline void noc_async_write_one_packet_with_trid_set_state(uint64_t to,
                                                                  uint8_t cmd_buf = write_cmd_buf,
                                                                  uint8_t noc = noc_index, uint8_t vc = 0)
{
    (void)cmd_buf;
    noc_async_write_one_packet_set_state(to, 0, noc, vc);
}
template <bool update_counter = true, bool posted = false>
static inline void
noc_async_write_one_packet_with_trid_with_state(uint32_t from, uint32_t to, uint32_t bytes, uint32_t trid,
                                                uint8_t cmd_buf = write_cmd_buf, uint8_t noc = noc_index)
{
    (void)trid, (void)cmd_buf;
    td_noc_write_state_.bytes = bytes;
    noc_async_write_one_packet_with_state(from, to, noc);
}

/* ---- words */

template <InlineWriteDst dst_type, bool posted = false, bool flush = true>
static inline void noc_inline_dw_write(uint64_t to, uint32_t value, uint8_t byte_enable = 0xf,
                                       uint8_t noc = noc_index, uint8_t vc = 0, uint32_t from = 0)
{
    (void)vc, (void)from;
    noc_inline_dw_write(to, value, byte_enable, noc);
}

struct td_inline_state {
    uint64_t to;
    uint32_t value;
    uint8_t byte_enable;
};
static td_inline_state td_noc_inline_state_ __attribute__((unused));

template <bool posted = false, bool set_value = false>
static inline void noc_inline_dw_write_set_state(uint64_t to, uint32_t value = 0, uint8_t byte_enable = 0xf,
                                                 uint8_t cmd_buf = write_at_cmd_buf, uint8_t noc = noc_index,
                                                 uint8_t vc = 0)
{
    (void)cmd_buf, (void)noc, (void)vc;
    td_noc_inline_state_ = {to, set_value ? value : td_noc_inline_state_.value, byte_enable};
}
template <bool update_low = false, bool update_counter = true, bool posted = false, bool update_high = false,
          bool update_value = false, InlineWriteDst dst_type = InlineWriteDst::DEFAULT>
static inline void noc_inline_dw_write_with_state(uint32_t value, uint32_t address = 0,
                                                  uint8_t cmd_buf = write_at_cmd_buf, uint8_t noc = noc_index)
{
    static_assert(!update_low || !update_high, "one half of the address is replaced");
    td_inline_state &state = td_noc_inline_state_;
    (void)cmd_buf;
    if (update_low)
        state.to = (state.to & ~UINT64_C(0xffffffff)) | address;
    if (update_high)
        state.to = (state.to & UINT64_C(0xffffffff)) | static_cast<uint64_t>(address) << 32;
    if (update_value)
        state.value = value;
    noc_inline_dw_write(state.to, state.value, state.byte_enable, noc);
}

/* ---- all Tensix tiles of a rectangle but this one */

template <typename Each> static inline void td_for_tiles_of_(uint64_t rectangle, Each each)
{
    const struct td_kernel_banks *banks = td_kernel_banks_();
    const uint32_t x0 = td_noc_x_(rectangle, 1), y0 = td_noc_y_(rectangle, 1);
    const uint32_t x1 = td_noc_x_(rectangle), y1 = td_noc_y_(rectangle);
    for (uint32_t tile = 0; tile < banks->l1_count; tile++) {
        const uint32_t xy = banks->xy[banks->dram_count + tile], x = xy & 0xff, y = xy >> 8 & 0xff;
        if (x >= (x0 < x1 ? x0 : x1) && x <= (x0 < x1 ? x1 : x0) && y >= (y0 < y1 ? y0 : y1) &&
            y <= (y0 < y1 ? y1 : y0) && !(x == my_x[noc_index] && y == my_y[noc_index]))
            each(::get_noc_addr(x, y, static_cast<uint32_t>(td_noc_local_(rectangle))));
    }
}
template <bool posted = false>
static inline void noc_semaphore_inc_multicast(uint64_t sems, uint32_t value, uint32_t tiles,
                                               uint8_t noc = noc_index, uint8_t vc = 0)
{
    (void)tiles;
    td_for_tiles_of_(sems, [=](uint64_t sem) { noc_semaphore_inc(sem, value, noc, vc); });
}
template <InlineWriteDst dst_type = InlineWriteDst::DEFAULT, bool posted = false, bool flush = true>
static inline void noc_inline_mcast_dw_write(uint64_t to, uint32_t value, uint8_t byte_enable = 0xf,
                                             uint8_t noc = noc_index, uint8_t vc = 0, uint32_t from = 0,
                                             uint32_t tiles = 1)
{
    (void)vc, (void)from, (void)tiles;
    td_for_tiles_of_(to, [=](uint64_t word) { noc_inline_dw_write(word, value, byte_enable, noc); });
}

/* ---- banks and alignments, which the host has chosen */

#define NOC_ADDR_COORD_SHIFT TD_NOC_ADDRESS_BITS
/* tt-metal's tables: where a bank is, and how far its part of a channel is from the channel's begin. */
struct td_bank_places {
    bool is_dram;
    uint16_t operator[](uint32_t bank) const
    {
        const struct td_kernel_banks *banks = td_kernel_banks_();
        const uint32_t xy = banks->xy[is_dram ? bank : banks->dram_count + bank];
        return static_cast<uint16_t>(td_noc_corner_(xy & 0xff, xy >> 8 & 0xff));
    }
};
struct td_bank_tables {
    bool is_dram;
    td_bank_places operator[](uint32_t) const /* of a NoC: both call places the same */
    {
        return {is_dram};
    }
};
struct td_no_offsets {
    int32_t operator[](uint32_t) const
    {
        return 0;
    }
};
static constexpr td_bank_tables dram_bank_to_noc_xy = {true}, l1_bank_to_noc_xy = {false};
static constexpr td_no_offsets bank_to_dram_offset = {}, bank_to_l1_offset = {};

/* Where the first Tensix tile is; the others follow it. */
static inline uint32_t td_first_tile_()
{
    return td_kernel_banks_()->xy[td_kernel_banks_()->dram_count];
}
#define VIRTUAL_TENSIX_START_X (td_first_tile_() & 0xff)
#define VIRTUAL_TENSIX_START_Y (td_first_tile_() >> 8 & 0xff)

#define NUM_DRAM_BANKS (td_bank_count_<true>())
#define NUM_L1_BANKS   (td_bank_count_<false>())
static constexpr uint32_t L1_ALIGNMENT = 16, DRAM_ALIGNMENT = 64;
static constexpr uint32_t NOC_L1_READ_ALIGNMENT_BYTES = 16, NOC_L1_WRITE_ALIGNMENT_BYTES = 16;
static constexpr uint32_t NOC_DRAM_READ_ALIGNMENT_BYTES = 64, NOC_DRAM_WRITE_ALIGNMENT_BYTES = 16;
namespace interleaved_addr_gen
{
template <bool DRAM> static inline uint32_t get_bank_offset_index(uint32_t page)
{
    return page / td_bank_count_<DRAM>();
}
template <bool DRAM> static inline uint32_t get_bank_index(uint32_t page, uint32_t row)
{
    return page - row * td_bank_count_<DRAM>();
}
template <bool DRAM> static inline uint32_t get_allocator_alignment()
{
    return td_bank_align_<DRAM>();
}
template <bool DRAM> static inline uint32_t get_aligned_page_size(uint32_t bytes)
{
    return td_stride_<DRAM>(bytes);
}
} // namespace interleaved_addr_gen
#endif
