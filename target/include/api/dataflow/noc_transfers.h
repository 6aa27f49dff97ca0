/* Reads, writes and multicast over the NoC, by tt-metal's names. Addresses are those of noc_addresses.h.
 * With PROFILE_NOC_EVENTS, calls record events (tools/profiler/noc_event_profiler.hpp). */
#ifndef TENDRIL_API_DATAFLOW_NOC_TRANSFERS_H
#define TENDRIL_API_DATAFLOW_NOC_TRANSFERS_H
#include "api/dataflow/kernel_args.h"
#include "tools/profiler/noc_event_profiler.hpp"

#define NOC_MAX_BURST_SIZE 16384u /* of calls with `one_packet` in tt-metal; here no call has a limit */

/* ---- addresses */

static inline uint64_t get_noc_addr(uint32_t x, uint32_t y, uint32_t address, uint8_t noc = noc_index)
{
    (void)noc;
    return td_noc_corner_(x, y) << TD_NOC_ADDRESS_BITS | address;
}

/* In this tile. */
static inline uint64_t get_noc_addr(uint32_t address, uint8_t noc = noc_index)
{
    return get_noc_addr(td_noc_my_x(), td_noc_my_y(), address, noc);
}

static inline uint64_t get_noc_multicast_addr(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1,
                                              uint32_t address, uint8_t noc = noc_index)
{
    (void)noc;
    return td_noc_corner_(x0, y0) << (TD_NOC_ADDRESS_BITS + 2 * TD_NOC_NODE_BITS) |
           td_noc_corner_(x1, y1) << TD_NOC_ADDRESS_BITS | address;
}

/* Zeros in L1, to be read over the NoC. A kernel that does not use them has none. */
static uint32_t td_zeros_[128] __attribute__((unused)) TD_L1;
#define MEM_ZEROS_BASE (reinterpret_cast<uintptr_t>(td_zeros_))
#define MEM_ZEROS_SIZE 512

/* This tile's place. */
struct td_my_place {
    bool is_y;
    uint8_t operator[](uint8_t) const
    {
        return static_cast<uint8_t>(is_y ? td_noc_my_y() : td_noc_my_x());
    }
};
static constexpr td_my_place my_x = {false}, my_y = {true};

/* ---- commands without events, which the calls below record by their own types */

static inline void td_noc_read_(uint64_t from, uint32_t to, uint32_t bytes, uint8_t noc)
{
    td_noc_read_on(noc, td_noc_place_of_(from), td_noc_local_(from), to, bytes);
}

static inline void td_noc_write_(uint32_t from, uint64_t to, uint32_t bytes, uint8_t noc)
{
    td_noc_write_on(noc, td_noc_place_of_(to), td_noc_local_(to), from, bytes);
}

/* What the calls with `_with_state` use again: one for reads and one for writes of a kernel. */
struct td_noc_state {
    uint64_t address;
    uint32_t bytes;
    uint64_t at(uint32_t low) const
    {
        return (address & ~UINT64_C(0xffffffff)) | low;
    }
};
static struct td_noc_state td_noc_read_state_ __attribute__((unused));
static struct td_noc_state td_noc_write_state_ __attribute__((unused));

/* ---- reads */

template <uint32_t max_page_size = 0, bool enable_noc_tracing = true>
static inline void noc_async_read(uint64_t from, uint32_t to, uint32_t bytes, uint8_t noc = noc_index,
                                  uint32_t vc = 0)
{
    RECORD_NOC_EVENT_WITH_ADDR(NocEventType::READ, from, bytes, -1);
    (void)vc;
    td_noc_read_(from, to, bytes, noc);
}

template <bool enable_noc_tracing = true>
static inline void noc_async_read_one_packet(uint64_t from, uint32_t to, uint32_t bytes,
                                             uint8_t noc = noc_index, uint32_t vc = 0)
{
    noc_async_read(from, to, bytes, noc, vc);
}

static inline void noc_async_read_set_state(uint64_t from, uint8_t noc = noc_index)
{
    RECORD_NOC_EVENT_WITH_ADDR(NocEventType::READ_SET_STATE, from, 0, -1);
    (void)noc;
    td_noc_read_state_.address = from;
}

/* `from` has the low 32 bits of the address; the tile is that of the state. */
template <bool inc_num_issued = true>
static inline void noc_async_read_with_state(uint32_t from, uint32_t to, uint32_t bytes,
                                             uint8_t noc = noc_index)
{
    RECORD_NOC_EVENT_WITH_ADDR(NocEventType::READ_WITH_STATE, td_noc_read_state_.at(from), bytes, -1);
    td_noc_read_(td_noc_read_state_.at(from), to, bytes, noc);
}

template <bool use_vc = false>
static inline void noc_async_read_one_packet_set_state(uint64_t from, uint32_t bytes, uint32_t vc = 0,
                                                       uint8_t noc = noc_index)
{
    RECORD_NOC_EVENT_WITH_ADDR(NocEventType::READ_SET_STATE, from, bytes, -1);
    (void)vc, (void)noc;
    td_noc_read_state_ = {from, bytes};
}

template <bool inc_num_issued = true, bool use_vc = false>
static inline void noc_async_read_one_packet_with_state(uint32_t from, uint32_t to, uint32_t vc = 0,
                                                        uint8_t noc = noc_index)
{
    (void)vc;
    noc_async_read_with_state(from, to, td_noc_read_state_.bytes, noc);
}

static inline void noc_async_read_barrier(uint8_t noc = noc_index)
{
    RECORD_NOC_EVENT(NocEventType::READ_BARRIER_START);
    td_noc_read_barrier_on(noc);
    RECORD_NOC_EVENT(NocEventType::READ_BARRIER_END);
}

/* Transaction ids: a barrier of one id waits for all reads, or all writes. */
static inline void noc_async_read_set_trid(uint32_t trid = 0, uint8_t noc = noc_index)
{
    RECORD_NOC_EVENT(NocEventType::READ_SET_TRID);
    (void)trid, (void)noc;
}

template <bool skip_ptr_update = false, bool skip_cmdbuf_chk = false>
static inline void noc_async_read_one_packet_with_state_with_trid(uint32_t base, uint32_t offset, uint32_t to,
                                                                  uint32_t trid = 0, uint8_t noc = noc_index)
{
    RECORD_NOC_EVENT_WITH_ADDR(NocEventType::READ_WITH_STATE_AND_TRID, td_noc_read_state_.at(base + offset),
                               td_noc_read_state_.bytes, -1);
    (void)trid;
    td_noc_read_(td_noc_read_state_.at(base + offset), to, td_noc_read_state_.bytes, noc);
}

static inline void noc_async_read_barrier_with_trid(uint32_t trid, uint8_t noc = noc_index)
{
    (void)trid;
    td_noc_read_barrier_on(noc);
    RECORD_NOC_EVENT(NocEventType::READ_BARRIER_WITH_TRID);
}

/* ---- writes */

template <uint32_t max_page_size = 0, bool enable_noc_tracing = true, bool posted = false>
static inline void noc_async_write(uint32_t from, uint64_t to, uint32_t bytes, uint8_t noc = noc_index,
                                   uint32_t vc = 0)
{
    RECORD_NOC_EVENT_WITH_ADDR(NocEventType::WRITE_, to, bytes, -1);
    (void)vc;
    td_noc_write_(from, to, bytes, noc);
}

template <bool enable_noc_tracing = true, bool posted = false>
static inline void noc_async_write_one_packet(uint32_t from, uint64_t to, uint32_t bytes,
                                              uint8_t noc = noc_index, uint32_t vc = 0)
{
    noc_async_write(from, to, bytes, noc, vc);
}

template <bool posted = false>
static inline void noc_async_write_one_packet_set_state(uint64_t to, uint32_t bytes, uint8_t noc = noc_index,
                                                        uint8_t vc = 0)
{
    RECORD_NOC_EVENT_WITH_ADDR(NocEventType::WRITE_SET_STATE, to, bytes, -1);
    (void)noc, (void)vc;
    td_noc_write_state_ = {to, bytes};
}

template <bool posted = false>
static inline void noc_async_write_one_packet_with_state(uint32_t from, uint32_t to, uint8_t noc = noc_index)
{
    RECORD_NOC_EVENT_WITH_ADDR(NocEventType::WRITE_WITH_STATE, td_noc_write_state_.at(to),
                               td_noc_write_state_.bytes, -1);
    td_noc_write_(from, td_noc_write_state_.at(to), td_noc_write_state_.bytes, noc);
}

static inline void noc_async_write_one_packet_with_trid(uint32_t from, uint64_t to, uint32_t bytes,
                                                        uint32_t trid, uint8_t noc = noc_index)
{
    RECORD_NOC_EVENT_WITH_ADDR(NocEventType::WRITE_WITH_TRID, to, bytes, -1);
    (void)trid;
    td_noc_write_(from, to, bytes, noc);
}

static inline void noc_async_write_barrier_with_trid(uint32_t trid, uint8_t noc = noc_index)
{
    (void)trid;
    td_noc_write_barrier_on(noc);
    RECORD_NOC_EVENT(NocEventType::WRITE_BARRIER_WITH_TRID);
}

static inline void td_noc_multicast_(uint32_t from, uint64_t to, uint32_t bytes, bool to_self, uint8_t noc)
{
    td_noc_multicast_on(noc, td_noc_place_of_(to, 1), td_noc_place_of_(to),
                        static_cast<uint32_t>(td_noc_local_(to)), from, bytes, to_self);
}

/* To all tiles of the rectangle but this one. `tiles` and `linked` have no effect: the functions count the
 * tiles themselves. */
template <uint32_t max_page_size = 0>
static inline void noc_async_write_multicast(uint32_t from, uint64_t to, uint32_t bytes, uint32_t tiles,
                                             bool linked = false, uint8_t noc = noc_index)
{
    RECORD_NOC_EVENT_WITH_ADDR(NocEventType::WRITE_MULTICAST, to, bytes, -1);
    (void)tiles, (void)linked;
    td_noc_multicast_(from, to, bytes, false, noc);
}

template <bool enable_noc_tracing = true>
static inline void noc_async_write_multicast_one_packet(uint32_t from, uint64_t to, uint32_t bytes,
                                                        uint32_t tiles, bool linked = false,
                                                        uint8_t noc = noc_index)
{
    noc_async_write_multicast(from, to, bytes, tiles, linked, noc);
}

/* To all tiles of the rectangle. */
static inline void noc_async_write_multicast_loopback_src(uint32_t from, uint64_t to, uint32_t bytes,
                                                          uint32_t tiles, bool linked = false,
                                                          uint8_t noc = noc_index)
{
    RECORD_NOC_EVENT_WITH_ADDR(NocEventType::WRITE_MULTICAST, to, bytes, -1);
    (void)tiles, (void)linked;
    td_noc_multicast_(from, to, bytes, true, noc);
}

/* A word from a register of the core. Where the chip writes no such words to L1, it passes through the scratch
 * words of the tile's L1. */
template <typename... Others>
static inline void noc_inline_dw_write(uint64_t to, uint32_t value, uint8_t byte_enable = 0xf,
                                       uint8_t noc = noc_index, Others...)
{
    const uint32_t address = static_cast<uint32_t>(td_noc_local_(to));
    if (td_noc_can_inline_(address)) {
        RECORD_NOC_EVENT_WITH_ADDR(NocEventType::WRITE_INLINE, to, 4, -1);
        td_noc_inline_write_on(noc, td_noc_place_of_(to), address, value, byte_enable);
        return;
    }
    const uint32_t scratch = td_kernel_env_()->scratch + (address & 12);
    td_noc_write_barrier_on(noc); /* the last one's word has left the scratch */
    *reinterpret_cast<volatile uint32_t *>(scratch) = value;
    RECORD_NOC_EVENT_WITH_ADDR(NocEventType::WRITE_INLINE, to, 4, -1);
    td_noc_write_(scratch, to, 4, noc);
}

static inline void noc_async_write_barrier(uint8_t noc = noc_index)
{
    RECORD_NOC_EVENT(NocEventType::WRITE_BARRIER_START);
    td_noc_write_barrier_on(noc);
    RECORD_NOC_EVENT(NocEventType::WRITE_BARRIER_END);
}

/* Until the data has left the tile. */
static inline void noc_async_writes_flushed(uint8_t noc = noc_index)
{
    RECORD_NOC_EVENT(NocEventType::WRITE_FLUSH);
    while (!td_noc_writes_have_left_(noc))
        ;
    td_fence();
}

static inline void noc_async_posted_writes_flushed(uint8_t noc = noc_index)
{
    noc_async_writes_flushed(noc);
}

static inline void noc_async_atomic_barrier(uint8_t noc = noc_index)
{
    RECORD_NOC_EVENT(NocEventType::ATOMIC_BARRIER);
    td_noc_is_started_(noc);
    while (!td_noc_reads_are_done_(noc)) /* reads and atomics have one transaction id */
        ;
    td_fence();
}

static inline void noc_async_full_barrier(uint8_t noc = noc_index)
{
    RECORD_NOC_EVENT(NocEventType::FULL_BARRIER);
    td_noc_barrier_on(noc);
}

#endif
