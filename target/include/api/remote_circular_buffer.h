/* Circular buffers from one tile to others, by tt-metal's path and names. C++.
 *
 *   sender                                       receiver
 *   RemoteCircularBuffer buffer(31);             RemoteCircularBuffer buffer(31);
 *   buffer.reserve_back(pages);                  buffer.wait_front(pages);
 *   buffer.push_back(noc, source, pages, ...);   buffer.pop_front(noc, pages);
 *
 * The host lays them out (td_kernel_remote_cb() in host/device/kernel_env.h). Pages are counted in lines of 16 bytes,
 * for each receiver. What is left at the end of the buffer after its last whole page is sent and consumed with the
 * pages that go round. Each core has its own place in the buffer; commit() keeps it for the next launch. */
#ifndef TENDRIL_API_REMOTE_CIRCULAR_BUFFER_H
#define TENDRIL_API_REMOTE_CIRCULAR_BUFFER_H
#include "api/alignment.h"
#include "api/dataflow/circular_buffers.h"
#ifndef COMPILE_FOR_TRISC
#include "api/dataflow/circular_buffer.h"
#endif

constexpr uint32_t REMOTE_CIRCULAR_BUFFER_ALIGNED_PAGE_SIZE = 16;

struct RemoteSenderCBInterface {
    uint32_t config_ptr, fifo_start_addr, fifo_limit_page_aligned, fifo_page_size, fifo_wr_ptr;
    uint32_t receiver_noc_xy_ptr, aligned_pages_sent_ptr, num_receivers;
};
struct RemoteReceiverCBInterface {
    uint32_t config_ptr, fifo_start_addr, fifo_limit_page_aligned, fifo_page_size, fifo_rd_ptr;
    uint32_t sender_noc_x, sender_noc_y, aligned_pages_acked_ptr;
};
static_assert(sizeof(RemoteSenderCBInterface) == TD_KERNEL_REMOTE_BYTES &&
              sizeof(RemoteReceiverCBInterface) == TD_KERNEL_REMOTE_BYTES);

static inline uintptr_t td_remote_cb_(uint32_t cb)
{
    return td_kernel_cb_(cb)->remote + td_kernel_env_()->core * TD_KERNEL_REMOTE_BYTES;
}
static inline RemoteSenderCBInterface &get_remote_sender_cb_interface(uint32_t cb)
{
    return *reinterpret_cast<RemoteSenderCBInterface *>(td_remote_cb_(cb));
}
static inline RemoteReceiverCBInterface &get_remote_receiver_cb_interface(uint32_t cb)
{
    return *reinterpret_cast<RemoteReceiverCBInterface *>(td_remote_cb_(cb));
}

static inline volatile uint32_t *td_remote_word_(uint32_t address)
{
    return reinterpret_cast<volatile uint32_t *>(static_cast<uintptr_t>(address));
}
/* Both interfaces have the same words up to the place in the buffer. */
static inline uint32_t td_remote_end_(const RemoteReceiverCBInterface &of)
{
    return of.fifo_start_addr + td_remote_word_(of.config_ptr)[TD_KERNEL_REMOTE_SIZE];
}
/* Lines of so many pages, and of what is left at the end if they go round. */
static inline uint32_t td_remote_lines_(const RemoteReceiverCBInterface &of, uint32_t pages)
{
    uint32_t bytes = pages * of.fifo_page_size;
    if (of.fifo_rd_ptr + bytes >= of.fifo_limit_page_aligned)
        bytes += td_remote_end_(of) - of.fifo_limit_page_aligned;
    return bytes / REMOTE_CIRCULAR_BUFFER_ALIGNED_PAGE_SIZE;
}

/* Pages of another size from the next whole one on. Returns the lines that are left out for it. */
static inline uint32_t td_remote_resize_(RemoteReceiverCBInterface &of, uint32_t page_bytes)
{
    const uint32_t size = td_remote_end_(of) - of.fifo_start_addr;
    const uint32_t limit = of.fifo_start_addr + size - size % page_bytes, was = of.fifo_rd_ptr;
    uint32_t next =
        of.fifo_start_addr + (was - of.fifo_start_addr + page_bytes - 1) / page_bytes * page_bytes;
    uint32_t skipped = next - was;
    if (next >= limit) {
        skipped = td_remote_end_(of) - was;
        next = of.fifo_start_addr;
    }
    of.fifo_rd_ptr = next;
    of.fifo_limit_page_aligned = limit;
    of.fifo_page_size = page_bytes;
    return skipped / REMOTE_CIRCULAR_BUFFER_ALIGNED_PAGE_SIZE;
}

#ifdef COMPILE_FOR_TRISC
static inline void td_remote_sent_(const RemoteSenderCBInterface &, uint32_t, uint8_t)
{
}
static inline void td_remote_acked_(const RemoteReceiverCBInterface &, uint32_t, uint8_t)
{
}
static inline void td_remote_wait_(const RemoteReceiverCBInterface &, uint32_t)
{
}
constexpr uint8_t td_remote_noc_mode_ = 0, td_remote_cmd_buf_ = 0;
#else
constexpr uint8_t td_remote_noc_mode_ = noc_mode, td_remote_cmd_buf_ = write_at_cmd_buf;

/* The counters of a receiver, and of the next one: sent, acknowledged. */
constexpr uint32_t td_remote_pair_ = 2 * L1_ALIGNMENT;

static inline uint64_t td_remote_receiver_(const RemoteSenderCBInterface &of, uint32_t receiver,
                                           uint32_t address, uint8_t noc)
{
    const volatile uint32_t *xy = td_remote_word_(of.receiver_noc_xy_ptr) + 2 * receiver;
    return ::get_noc_addr(xy[0], xy[1], address, noc);
}
static inline void td_remote_sent_to_(const RemoteSenderCBInterface &of, uint32_t receiver, uint32_t lines,
                                      uint8_t noc)
{
    const uint32_t sent = of.aligned_pages_sent_ptr + receiver * td_remote_pair_;
    *td_remote_word_(sent) = *td_remote_word_(sent) + lines;
    noc_semaphore_inc(td_remote_receiver_(of, receiver, sent, noc), lines, noc);
}
static inline void td_remote_sent_(const RemoteSenderCBInterface &of, uint32_t lines, uint8_t noc)
{
    for (uint32_t receiver = 0; receiver < of.num_receivers; receiver++)
        td_remote_sent_to_(of, receiver, lines, noc);
}
static inline void td_remote_acked_(const RemoteReceiverCBInterface &of, uint32_t lines, uint8_t noc)
{
    const uint32_t acked = of.aligned_pages_acked_ptr;
    *td_remote_word_(acked) = *td_remote_word_(acked) + lines;
    noc_semaphore_inc(::get_noc_addr(of.sender_noc_x, of.sender_noc_y, acked, noc), lines, noc);
}
/* Until so many lines have come that are not acknowledged. */
static inline void td_remote_wait_(const RemoteReceiverCBInterface &of, uint32_t lines)
{
    const volatile uint32_t *acked = td_remote_word_(of.aligned_pages_acked_ptr);
    const volatile uint32_t *sent = td_remote_word_(of.aligned_pages_acked_ptr - L1_ALIGNMENT);
    while (*sent - *acked < lines)
        td_fence();
    td_fence();
}
#endif

template <bool update_remote_over_noc = false>
static inline void resize_remote_sender_cb_interface(uint32_t cb, uint32_t page_bytes, uint8_t noc,
                                                     uint8_t = td_remote_noc_mode_, bool = true,
                                                     uint8_t = td_remote_cmd_buf_)
{
    const uint32_t skipped = td_remote_resize_(get_remote_receiver_cb_interface(cb), page_bytes);
    if (update_remote_over_noc && skipped)
        td_remote_sent_(get_remote_sender_cb_interface(cb), skipped, noc);
}
template <bool update_remote_over_noc = false>
static inline void resize_remote_receiver_cb_interface(uint32_t cb, uint32_t page_bytes, uint8_t noc,
                                                       uint8_t = td_remote_noc_mode_, bool = true,
                                                       uint8_t = td_remote_cmd_buf_)
{
    RemoteReceiverCBInterface &of = get_remote_receiver_cb_interface(cb);
    const uint32_t skipped = td_remote_resize_(of, page_bytes);
    if (update_remote_over_noc && skipped) {
        td_remote_wait_(of, skipped);
        td_remote_acked_(of, skipped, noc);
    }
}

/* Buffers of this tile that are read in the remote buffer's memory, from its place on. */
template <uint32_t COUNT>
static inline void align_local_cbs_to_remote_cb(uint32_t remote, const uint32_t (&cbs)[COUNT])
{
    const RemoteReceiverCBInterface &of = get_remote_receiver_cb_interface(remote);
    for (uint32_t cb : cbs)
        td_cb_move_(td_kernel_cb_at_(cb), of.fifo_start_addr, of.fifo_limit_page_aligned - of.fifo_start_addr,
                    of.fifo_rd_ptr);
}

static inline void update_remote_cb_config_in_l1(uint32_t cb)
{
    const RemoteReceiverCBInterface &of = get_remote_receiver_cb_interface(cb);
    td_remote_word_(of.config_ptr)[TD_KERNEL_REMOTE_PLACE] = of.fifo_rd_ptr;
}

#ifndef COMPILE_FOR_TRISC
static inline void remote_cb_wait_front(uint32_t cb, uint32_t pages)
{
    const RemoteReceiverCBInterface &of = get_remote_receiver_cb_interface(cb);
    td_remote_wait_(of, td_remote_lines_(of, pages));
}
static inline void remote_cb_pop_front(uint32_t cb, uint32_t pages, uint8_t noc = noc_index)
{
    RemoteReceiverCBInterface &of = get_remote_receiver_cb_interface(cb);
    const uint32_t lines = td_remote_lines_(of, pages), bytes = pages * of.fifo_page_size;
    if (of.fifo_rd_ptr + bytes >= of.fifo_limit_page_aligned)
        of.fifo_rd_ptr -= of.fifo_limit_page_aligned - of.fifo_start_addr;
    of.fifo_rd_ptr += bytes;
    td_remote_acked_(of, lines, noc);
}
/* Until each receiver has room. */
static inline void remote_cb_reserve_back(uint32_t cb, uint32_t pages)
{
    const RemoteSenderCBInterface &of = get_remote_sender_cb_interface(cb);
    const RemoteReceiverCBInterface &same = get_remote_receiver_cb_interface(cb);
    const uint32_t lines = td_remote_lines_(same, pages);
    const uint32_t all =
        (td_remote_end_(same) - of.fifo_start_addr) / REMOTE_CIRCULAR_BUFFER_ALIGNED_PAGE_SIZE;
    for (uint32_t receiver = 0; receiver < of.num_receivers; receiver++) {
        const uint32_t at = of.aligned_pages_sent_ptr + receiver * td_remote_pair_;
        while (all - (*td_remote_word_(at) - *td_remote_word_(at + L1_ALIGNMENT)) < lines)
            td_fence();
    }
    td_fence();
}
/* Until each receiver has consumed all that was sent. */
static inline void remote_cb_sender_barrier(uint32_t cb)
{
    const RemoteSenderCBInterface &of = get_remote_sender_cb_interface(cb);
    for (uint32_t receiver = 0; receiver < of.num_receivers; receiver++) {
        const uint32_t at = of.aligned_pages_sent_ptr + receiver * td_remote_pair_;
        while (*td_remote_word_(at) != *td_remote_word_(at + L1_ALIGNMENT))
            td_fence();
    }
}
/* The source has `rows` rows; each has `pages_in_row` pages of `page_bytes` for each receiver, one receiver's after the
 * other's. A receiver gets its part of all rows, as `pages` pages of the buffer. */
template <bool skip_ptr_update = true>
static inline void remote_cb_push_back_and_write_pages(uint32_t cb, uint32_t from, uint32_t pages,
                                                       uint32_t rows, uint32_t pages_in_row,
                                                       uint32_t page_bytes, uint8_t noc = noc_index)
{
    RemoteSenderCBInterface &of = get_remote_sender_cb_interface(cb);
    const uint32_t lines = td_remote_lines_(get_remote_receiver_cb_interface(cb), pages);
    const uint32_t row = pages_in_row * page_bytes;
    for (uint32_t receiver = 0; receiver < of.num_receivers; receiver++) {
        for (uint32_t i = 0; i < rows; i++)
            noc_async_write(from + (i * of.num_receivers + receiver) * row,
                            td_remote_receiver_(of, receiver, of.fifo_wr_ptr + i * row, noc), row, noc);
        td_remote_sent_to_(of, receiver, lines, noc);
    }
    of.fifo_wr_ptr += rows * row;
    if (of.fifo_wr_ptr == of.fifo_limit_page_aligned)
        of.fifo_wr_ptr = of.fifo_start_addr;
}

class RemoteCircularBuffer
{
  public:
    enum class RemotePointerUpdate { SKIP, UPDATE_OVER_NOC };
    explicit RemoteCircularBuffer(uint32_t cb) : index(cb)
    {
    }
    void reserve_back(uint32_t pages)
    {
        remote_cb_reserve_back(index, pages);
    }
    template <typename Src, RemotePointerUpdate update = RemotePointerUpdate::UPDATE_OVER_NOC>
    void push_back(const Noc &noc, const Src &src, uint32_t pages, uint32_t rows, uint32_t pages_in_row,
                   uint32_t page_bytes, const typename noc_traits_t<Src>::src_args_type &from = {})
    {
        remote_cb_push_back_and_write_pages(index, noc_traits_t<Src>::local(src, from), pages, rows,
                                            pages_in_row, page_bytes, noc.get_noc_id());
    }
    void wait_front(uint32_t pages)
    {
        remote_cb_wait_front(index, pages);
    }
    void pop_front(const Noc &noc, uint32_t pages)
    {
        remote_cb_pop_front(index, pages, noc.get_noc_id());
    }
    /* For the receiver's core, and for the sender's: tt-metal calls them so. */
    template <RemotePointerUpdate update = RemotePointerUpdate::UPDATE_OVER_NOC, typename... Options>
    void set_sender_page_size(const Noc &noc, uint32_t page_bytes, Options...)
    {
        resize_remote_receiver_cb_interface<update == RemotePointerUpdate::UPDATE_OVER_NOC>(index, page_bytes,
                                                                                            noc.get_noc_id());
    }
    template <RemotePointerUpdate update = RemotePointerUpdate::UPDATE_OVER_NOC, typename... Options>
    void set_receiver_page_size(const Noc &noc, uint32_t page_bytes, Options...)
    {
        resize_remote_sender_cb_interface<update == RemotePointerUpdate::UPDATE_OVER_NOC>(index, page_bytes,
                                                                                          noc.get_noc_id());
    }
    void barrier()
    {
        remote_cb_sender_barrier(index);
    }
    void commit()
    {
        update_remote_cb_config_in_l1(index);
    }
    [[nodiscard]] auto scoped_lock()
    {
        return Lock([] {});
    }

  private:
    uint32_t index;
};
#endif

namespace experimental
{
using ::align_local_cbs_to_remote_cb;
using ::resize_remote_receiver_cb_interface;
using ::resize_remote_sender_cb_interface;
using ::update_remote_cb_config_in_l1;
#ifndef COMPILE_FOR_TRISC
using ::remote_cb_pop_front;
using ::remote_cb_push_back_and_write_pages;
using ::remote_cb_reserve_back;
using ::remote_cb_sender_barrier;
using ::remote_cb_wait_front;
using ::RemoteCircularBuffer;
#endif
} // namespace experimental
#endif
