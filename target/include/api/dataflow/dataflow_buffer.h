/* tt-metal's later name of circular buffers. C++. */
#ifndef TENDRIL_API_DATAFLOW_DATAFLOW_BUFFER_H
#define TENDRIL_API_DATAFLOW_DATAFLOW_BUFFER_H
#include "api/dataflow/circular_buffer.h"

struct DFBAccessor {
    explicit constexpr DFBAccessor(uint16_t number) : id(number)
    {
    }
    uint16_t id;
};

class DataflowBuffer : public CircularBuffer
{
  public:
    using CircularBuffer::CircularBuffer;
    DataflowBuffer(DFBAccessor accessor) : CircularBuffer(accessor.id)
    {
    }
    uint32_t get_id() const
    {
        return get_cb_id();
    }
    uint32_t get_entry_size() const
    {
        return get_tile_size();
    }
    uint32_t get_stride_size() const
    {
        return get_tile_size();
    }
    void finish() const
    {
    }
#ifndef COMPILE_FOR_TRISC
    void write_barrier(const Noc &noc) const
    {
        noc.async_write_barrier();
    }
#endif
};
#ifndef COMPILE_FOR_TRISC
template <> struct noc_traits_t<DataflowBuffer> : noc_traits_t<CircularBuffer> {
};
#endif

namespace experimental
{
using ::DataflowBuffer;
using ::DFBAccessor;
} // namespace experimental

#endif
