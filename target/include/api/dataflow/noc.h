/* Transfers over the NoC as calls of an object, by tt-metal's path and names of 2026. C++.
 *
 *   Noc noc;
 *   noc.async_read(tensor, buffer, bytes, {.page_id = 3}, {.offset_bytes = 0});
 *   noc.async_read_barrier();
 *
 * What data comes from and goes to is an object with noc_traits_t: circular buffers and CoreLocalMem in
 * this tile's L1, tensors (api/tensor/noc_traits.h), places of the NoC (api/dataflow/endpoints.h).
 * `remote` of the traits is an address on the NoC, `local` one in L1. Options of channels, transaction ids
 * and posted writes have no effect. */
#ifndef TENDRIL_API_DATAFLOW_NOC_H
#define TENDRIL_API_DATAFLOW_NOC_H
#include "api/dataflow/dataflow_api.h"

template <typename T> struct noc_traits_t {
    static_assert(sizeof(T) == 0,
                  "the NoC does not know this type: include the header with its noc_traits_t");
};

enum class NocOptions : uint32_t {
    DEFAULT = 0,
    TXN_ID = 1,
    POSTED = 2,
    CUSTOM_VC = 4,
    MCAST_INCL_SRC = 8,
    INLINE_L1 = 16,
    INLINE_REG = 32
};
constexpr NocOptions operator|(NocOptions a, NocOptions b)
{
    return static_cast<NocOptions>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b));
}
constexpr bool has_flag(NocOptions options, NocOptions flag)
{
    return (static_cast<uint32_t>(options) & static_cast<uint32_t>(flag)) != 0;
}
struct NocOptVals {
    uint32_t vc = 0;
    uint32_t trid = 0;
};

class Noc
{
    template <typename T> using src_args = typename noc_traits_t<T>::src_args_type;
    template <typename T> using dst_args = typename noc_traits_t<T>::dst_args_type;
    template <typename T> using mcast_args = typename noc_traits_t<T>::dst_args_mcast_type;

  public:
    Noc() : id(noc_index)
    {
    }
    explicit Noc(uint8_t noc) : id(noc)
    {
    }
    uint8_t get_noc_id() const
    {
        return id;
    }
    bool is_local_bank(uint32_t x, uint32_t y) const
    {
        return x == my_x[id] && y == my_y[id];
    }
    bool is_local_addr(uint64_t address) const
    {
        return is_local_bank(td_noc_x_(address), td_noc_y_(address));
    }

    template <NocOptions options = NocOptions::DEFAULT, uint32_t max_page_size = 0, bool tracing = true,
              typename Src, typename Dst>
    void async_read(const Src &src, const Dst &dst, uint32_t bytes, const src_args<Src> &from,
                    const dst_args<Dst> &to, const NocOptVals & = {}) const
    {
        noc_async_read(noc_traits_t<Src>::remote(src, from), noc_traits_t<Dst>::local(dst, to), bytes);
    }
    template <NocOptions options = NocOptions::DEFAULT, uint32_t max_page_size = 0, typename Src>
    void set_async_read_state(const Src &src, uint32_t bytes, const src_args<Src> &from,
                              const NocOptVals & = {}) const
    {
        noc_async_read_one_packet_set_state(noc_traits_t<Src>::remote(src, from), bytes);
    }
    template <NocOptions options = NocOptions::DEFAULT, uint32_t max_page_size = 0, typename Src,
              typename Dst>
    void async_read_with_state(const Src &src, const Dst &dst, uint32_t bytes, const src_args<Src> &from,
                               const dst_args<Dst> &to, const NocOptVals & = {}) const
    {
        noc_async_read_with_state(static_cast<uint32_t>(noc_traits_t<Src>::remote(src, from)),
                                  noc_traits_t<Dst>::local(dst, to), bytes);
    }

    template <NocOptions options = NocOptions::DEFAULT, uint32_t max_page_size = 0, bool tracing = true,
              typename Src, typename Dst>
    void async_write(const Src &src, const Dst &dst, uint32_t bytes, const src_args<Src> &from,
                     const dst_args<Dst> &to, const NocOptVals & = {}) const
    {
        noc_async_write(noc_traits_t<Src>::local(src, from), noc_traits_t<Dst>::remote(dst, to), bytes);
    }
    template <NocOptions options = NocOptions::DEFAULT, uint32_t max_page_size = 0, typename Dst>
    void set_async_write_state(const Dst &dst, uint32_t bytes, const dst_args<Dst> &to,
                               const NocOptVals & = {}) const
    {
        noc_async_write_one_packet_set_state(noc_traits_t<Dst>::remote(dst, to), bytes);
    }
    template <NocOptions options = NocOptions::DEFAULT, uint32_t max_page_size = 0, typename Src,
              typename Dst>
    void async_write_with_state(const Src &src, const Dst &dst, uint32_t, const src_args<Src> &from,
                                const dst_args<Dst> &to, const NocOptVals & = {}) const
    {
        noc_async_write_one_packet_with_state(noc_traits_t<Src>::local(src, from),
                                              static_cast<uint32_t>(noc_traits_t<Dst>::remote(dst, to)));
    }
    template <NocOptions options = NocOptions::DEFAULT, uint32_t max_page_size = 0, typename Src,
              typename Dst>
    void async_write_multicast(const Src &src, const Dst &dst, uint32_t bytes, uint32_t tiles,
                               const src_args<Src> &from, const mcast_args<Dst> &to, bool linked = false,
                               const NocOptVals & = {}) const
    {
        const uint32_t local = noc_traits_t<Src>::local(src, from);
        const uint64_t remote = noc_traits_t<Dst>::remote_mcast(dst, to);
        if constexpr (has_flag(options, NocOptions::MCAST_INCL_SRC))
            noc_async_write_multicast_loopback_src(local, remote, bytes, tiles, linked);
        else
            noc_async_write_multicast(local, remote, bytes, tiles, linked);
    }
    template <NocOptions options = NocOptions::DEFAULT, typename Dst>
    void inline_dw_write(const Dst &dst, uint32_t value, const dst_args<Dst> &to, uint8_t byte_enable = 0xf,
                         const NocOptVals & = {}) const
    {
        noc_inline_dw_write(noc_traits_t<Dst>::remote(dst, to), value, byte_enable);
    }

    /* Zeros to a buffer of this tile, to be waited for with write_zeros_l1_barrier(). */
    template <typename Dst>
    void async_write_zeros(const Dst &dst, uint32_t bytes, const dst_args<Dst> &to = {}) const
    {
        const uint32_t at = noc_traits_t<Dst>::local(dst, to);
        for (uint32_t done = 0; done < bytes; done += MEM_ZEROS_SIZE)
            noc_async_read(::get_noc_addr(MEM_ZEROS_BASE), at + done,
                           bytes - done < MEM_ZEROS_SIZE ? bytes - done : MEM_ZEROS_SIZE);
    }
    void write_zeros_l1_barrier() const
    {
        noc_async_read_barrier();
    }

    template <NocOptions options = NocOptions::DEFAULT> void async_read_barrier(const NocOptVals & = {}) const
    {
        noc_async_read_barrier();
    }
    template <NocOptions options = NocOptions::DEFAULT>
    void async_write_barrier(const NocOptVals & = {}) const
    {
        noc_async_write_barrier();
    }
    template <NocOptions options = NocOptions::DEFAULT>
    void async_writes_flushed(const NocOptVals & = {}) const
    {
        noc_async_writes_flushed();
    }
    void async_posted_writes_flushed() const
    {
        noc_async_posted_writes_flushed();
    }
    void async_atomic_barrier() const
    {
        noc_async_atomic_barrier();
    }
    void async_full_barrier() const
    {
        noc_async_full_barrier();
    }

  private:
    uint8_t id;
};

namespace experimental
{
using ::Noc;
}
#endif
