/* A circular buffer as an object, by tt-metal's path and names. C++. */
#ifndef TENDRIL_API_DATAFLOW_CIRCULAR_BUFFER_H
#define TENDRIL_API_DATAFLOW_CIRCULAR_BUFFER_H
#include "api/dataflow/dataflow_api.h"

class CircularBuffer
{
  public:
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
    DataFormat get_dataformat() const
    {
        return ::get_dataformat(index);
    }

  private:
    uint32_t index;
};

#endif
