/* A semaphore as an object, by tt-metal's path and names. C++. */
#ifndef TENDRIL_API_DATAFLOW_NOC_SEMAPHORE_H
#define TENDRIL_API_DATAFLOW_NOC_SEMAPHORE_H
#include "api/dataflow/noc.h"

template <auto... CORE_TYPE> class Semaphore
{
  public:
    explicit Semaphore(uint32_t number) : address(get_semaphore(number))
    {
    }
    void set(uint32_t value) const
    {
        noc_semaphore_set(word(), value);
    }
    void wait(uint32_t value) const
    {
        noc_semaphore_wait(word(), value);
    }
    void wait_min(uint32_t value) const
    {
        noc_semaphore_wait_min(word(), value);
    }
    uint32_t value() const
    {
        return *word();
    }
    /* Of this tile, by a core that alone changes it. */
    void up(uint32_t value) const
    {
        *word() = *word() + value;
        td_fence();
    }
    void down(uint32_t value) const
    {
        noc_semaphore_wait_min(word(), value);
        *word() = *word() - value;
        td_fence();
    }
    /* Of the tile at x, y. */
    void up(const Noc &noc, uint32_t x, uint32_t y, uint32_t value, uint8_t = 0) const
    {
        noc_semaphore_inc(::get_noc_addr(x, y, address), value, noc.get_noc_id());
    }
    /* Raises it in all tiles of a rectangle but this one. */
    void inc_multicast(const Noc &noc, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, uint32_t value,
                       uint32_t tiles) const
    {
        noc_semaphore_inc_multicast(::get_noc_multicast_addr(x0, y0, x1, y1, address), value, tiles,
                                    noc.get_noc_id());
    }
    /* This tile's value to all tiles of a rectangle. */
    template <auto... options>
    void set_multicast(const Noc &noc, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, uint32_t tiles,
                       bool linked = false) const
    {
        const uint64_t all = ::get_noc_multicast_addr(x0, y0, x1, y1, address);
        if constexpr (Noc::td_include_source_<options...>())
            noc_semaphore_set_multicast_loopback_src(address, all, tiles, linked, noc.get_noc_id());
        else
            noc_semaphore_set_multicast(address, all, tiles, linked, noc.get_noc_id());
    }

  private:
    volatile uint32_t *word() const
    {
        return reinterpret_cast<volatile uint32_t *>(static_cast<uintptr_t>(address));
    }
    uint32_t address;
};

namespace experimental
{
using ::Semaphore;
}
#endif
