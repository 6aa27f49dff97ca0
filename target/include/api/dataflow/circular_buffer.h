/* A circular buffer as an object, by tt-metal's path and names. C++. As the source of a transfer it is its
 * oldest page, as the destination its first free one; use<CircularBuffer::AddrSelector::WRITE_PTR>(buffer)
 * chooses. */
#ifndef TENDRIL_API_DATAFLOW_CIRCULAR_BUFFER_H
#define TENDRIL_API_DATAFLOW_CIRCULAR_BUFFER_H
#include "api/dataflow/noc.h"
#include "api/lock.h"

class CircularBuffer
{
  public:
    enum class AddrSelector { READ_PTR, WRITE_PTR };
    using AddrSel = AddrSelector; /* the older name */
    explicit CircularBuffer(uint32_t cb) : index(cb)
    {
    }
    uint32_t get_cb_id() const
    {
        return index;
    }
    void reserve_back(int32_t pages)
    {
        cb_reserve_back(index, static_cast<uint32_t>(pages));
    }
    void push_back(int32_t pages)
    {
        cb_push_back(index, static_cast<uint32_t>(pages));
    }
    void wait_front(int32_t pages)
    {
        cb_wait_front(index, static_cast<uint32_t>(pages));
    }
    void pop_front(int32_t pages)
    {
        cb_pop_front(index, static_cast<uint32_t>(pages));
    }
    bool pages_reservable_at_back(int32_t pages) const
    {
        return cb_pages_reservable_at_back(index, static_cast<uint32_t>(pages));
    }
    bool pages_available_at_front(int32_t pages) const
    {
        return cb_pages_available_at_front(index, static_cast<uint32_t>(pages));
    }
    uint32_t get_write_ptr() const
    {
        return ::get_write_ptr(index);
    }
    uint32_t get_read_ptr() const
    {
        return ::get_read_ptr(index);
    }
    uint32_t get_tile_size() const
    {
        return ::get_tile_size(index);
    }
    uint32_t get_tile_hw() const
    {
        return ::get_tile_hw(index);
    }
    DataFormat get_dataformat() const
    {
        return ::get_dataformat(index);
    }
    /* Of a page that a kernel that computes has waited for. */
    uint32_t get_tile_address(uint32_t tile) const
    {
        return get_read_ptr() + tile * get_tile_size();
    }
    uint32_t read_tile_value(uint32_t tile, uint32_t element) const
    {
        return reinterpret_cast<const volatile uint32_t *>(
            static_cast<uintptr_t>(get_tile_address(tile)))[element];
    }
    /* For as long as the object that it returns, others should leave the buffer alone. */
    [[nodiscard]] auto scoped_lock() const
    {
        const uint32_t begin = td_kernel_cb_begin_(index), bytes = td_kernel_cb_bytes_(index);
        RECORD_SCOPED_LOCK_EVENT(NocDebuggingEventMetadata::NocDebugEventType::CB_LOCK, begin, bytes);
        return Lock([=]() {
            RECORD_SCOPED_LOCK_EVENT(NocDebuggingEventMetadata::NocDebugEventType::CB_UNLOCK, begin, bytes);
        });
    }

  private:
    uint32_t index;
};

template <CircularBuffer::AddrSelector selector> struct td_buffer_view {
    const CircularBuffer &buffer;
    uint32_t address() const
    {
        return selector == CircularBuffer::AddrSelector::READ_PTR ? buffer.get_read_ptr()
                                                                  : buffer.get_write_ptr();
    }
};
template <CircularBuffer::AddrSelector selector>
static inline td_buffer_view<selector> use(const CircularBuffer &buffer)
{
    return {buffer};
}

struct td_buffer_args_ {
    struct src_args_type {
        uint32_t offset_bytes = 0;
    };
    struct dst_args_type {
        uint32_t offset_bytes = 0;
    };
    struct dst_args_mcast_type {
        uint32_t noc_x_start = 0, noc_y_start = 0, noc_x_end = 0, noc_y_end = 0, offset_bytes = 0;
    };
};
template <> struct noc_traits_t<CircularBuffer> : td_buffer_args_ {
    static uint32_t local(const CircularBuffer &buffer, const src_args_type &at)
    {
        return buffer.get_read_ptr() + at.offset_bytes;
    }
    static uint32_t local(const CircularBuffer &buffer, const dst_args_type &at)
    {
        return buffer.get_write_ptr() + at.offset_bytes;
    }
    static uint64_t remote_mcast(const CircularBuffer &buffer, const dst_args_mcast_type &at)
    {
        return get_noc_multicast_addr(at.noc_x_start, at.noc_y_start, at.noc_x_end, at.noc_y_end,
                                      buffer.get_write_ptr() + at.offset_bytes);
    }
};
template <CircularBuffer::AddrSelector selector>
struct noc_traits_t<td_buffer_view<selector>> : td_buffer_args_ {
    template <typename Args> static uint32_t local(const td_buffer_view<selector> &view, const Args &at)
    {
        return view.address() + at.offset_bytes;
    }
    static uint64_t remote_mcast(const td_buffer_view<selector> &view, const dst_args_mcast_type &at)
    {
        return get_noc_multicast_addr(at.noc_x_start, at.noc_y_start, at.noc_x_end, at.noc_y_end,
                                      view.address() + at.offset_bytes);
    }
};

namespace experimental
{
using ::CircularBuffer;
using ::use;
} // namespace experimental
#endif
