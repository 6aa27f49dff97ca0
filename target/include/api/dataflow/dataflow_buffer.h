/* tt-metal's later name of circular buffers. C++. */
#ifndef TENDRIL_API_DATAFLOW_DATAFLOW_BUFFER_H
#define TENDRIL_API_DATAFLOW_DATAFLOW_BUFFER_H
#include "api/dataflow/circular_buffer.h"

class DataflowBuffer : public CircularBuffer
{
  public:
    using CircularBuffer::CircularBuffer;
    uint32_t get_entry_size() const
    {
        return get_tile_size();
    }
};
template <> struct noc_traits_t<DataflowBuffer> : noc_traits_t<CircularBuffer> {
};

#endif
