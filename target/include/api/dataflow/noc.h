/* Transfers over the NoC as calls of an object, by tt-metal's path and names of 2026. C++.
 *
 *   Noc noc;
 *   noc.async_read(tensor, buffer, bytes, {.page_id = 3}, {.offset_bytes = 0});
 *   noc.async_read_barrier();
 *
 * What data comes from and goes to is an object with noc_traits_t: circular buffers and CoreLocalMem in
 * this tile's L1, tensors (api/tensor/noc_traits.h), places of the NoC (api/dataflow/endpoints.h).
 * `remote` of the traits is an address on the NoC, `local` one in L1. Options of channels, transaction ids
 * and posted writes have no effect, given as NocOptions or as the enumerations of Noc. */
#ifndef TENDRIL_API_DATAFLOW_NOC_H
#define TENDRIL_API_DATAFLOW_NOC_H
#include "api/dataflow/dataflow_api.h"

#include <type_traits>

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
    /* Options before the middle of 2026; the ids and channels that they ask for are arguments of their own. */
    enum class AddressType { NOC, LOCAL_L1 };
    enum class TxnIdMode { ENABLED, DISABLED };
    enum class ResponseMode { NON_POSTED, POSTED };
    enum class BarrierMode { TXN_ID, FULL };
    enum class McastMode { INCLUDE_SRC, EXCLUDE_SRC };
    enum class VcSelection { DEFAULT, CUSTOM };
    static constexpr uint32_t INVALID_TXN_ID = UINT32_MAX;

  private:
    template <auto option> static constexpr bool td_includes_source_()
    {
        if constexpr (std::is_same_v<decltype(option), McastMode>)
            return option == McastMode::INCLUDE_SRC;
        else if constexpr (std::is_same_v<decltype(option), NocOptions>)
            return has_flag(option, NocOptions::MCAST_INCL_SRC);
        else
            return false;
    }
    /* A number among the options is the greatest page: the bytes are those of the state if it is one packet. */
    template <auto option> static constexpr bool td_is_one_packet_()
    {
        if constexpr (std::is_integral_v<decltype(option)> && !std::is_same_v<decltype(option), bool>)
            return option > 0 && option <= NOC_MAX_BURST_SIZE;
        else
            return false;
    }

  public:
    template <auto... options> static constexpr bool td_include_source_()
    {
        return (td_includes_source_<options>() || ...);
    }
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

    template <auto... options, typename Src, typename Dst>
    void async_read(const Src &src, const Dst &dst, uint32_t bytes, const src_args<Src> &from,
                    const dst_args<Dst> &to, const NocOptVals & = {}) const
    {
        noc_async_read(noc_traits_t<Src>::remote(src, from), noc_traits_t<Dst>::local(dst, to), bytes, id);
    }
    template <auto... options, typename Src>
    void set_async_read_state(const Src &src, uint32_t bytes, const src_args<Src> &from,
                              const NocOptVals & = {}) const
    {
        noc_async_read_one_packet_set_state(noc_traits_t<Src>::remote(src, from), bytes, 0, id);
    }
    template <auto... options, typename Src, typename Dst>
    void async_read_with_state(const Src &src, const Dst &dst, uint32_t bytes, const src_args<Src> &from,
                               const dst_args<Dst> &to, const NocOptVals & = {}) const
    {
        const uint32_t low = static_cast<uint32_t>(noc_traits_t<Src>::remote(src, from));
        if constexpr ((td_is_one_packet_<options>() || ...))
            noc_async_read_one_packet_with_state(low, noc_traits_t<Dst>::local(dst, to), 0, id);
        else
            noc_async_read_with_state(low, noc_traits_t<Dst>::local(dst, to), bytes, id);
    }

    template <auto... options, typename Src, typename Dst>
    void async_write(const Src &src, const Dst &dst, uint32_t bytes, const src_args<Src> &from,
                     const dst_args<Dst> &to, const NocOptVals & = {}) const
    {
        noc_async_write(noc_traits_t<Src>::local(src, from), noc_traits_t<Dst>::remote(dst, to), bytes, id);
    }
    template <auto... options, typename Dst>
    void set_async_write_state(const Dst &dst, uint32_t bytes, const dst_args<Dst> &to,
                               const NocOptVals & = {}) const
    {
        noc_async_write_one_packet_set_state(noc_traits_t<Dst>::remote(dst, to), bytes, id);
    }
    template <auto... options, typename Src, typename Dst>
    void async_write_with_state(const Src &src, const Dst &dst, uint32_t bytes, const src_args<Src> &from,
                                const dst_args<Dst> &to, const NocOptVals & = {}) const
    {
        if constexpr (!(td_is_one_packet_<options>() || ...))
            if (bytes)
                td_noc_write_state_.bytes = bytes;
        noc_async_write_one_packet_with_state(noc_traits_t<Src>::local(src, from),
                                              static_cast<uint32_t>(noc_traits_t<Dst>::remote(dst, to)), id);
    }
    template <auto... options, typename Src, typename Dst>
    void async_write_multicast(const Src &src, const Dst &dst, uint32_t bytes, uint32_t tiles,
                               const src_args<Src> &from, const mcast_args<Dst> &to, bool linked = false,
                               const NocOptVals & = {}) const
    {
        const uint32_t local = noc_traits_t<Src>::local(src, from);
        const uint64_t remote = noc_traits_t<Dst>::remote_mcast(dst, to);
        if constexpr (td_include_source_<options...>())
            noc_async_write_multicast_loopback_src(local, remote, bytes, tiles, linked, id);
        else
            noc_async_write_multicast(local, remote, bytes, tiles, linked, id);
    }
    template <auto... options, typename Dst>
    void inline_dw_write(const Dst &dst, uint32_t value, const dst_args<Dst> &to, uint8_t byte_enable = 0xf,
                         const NocOptVals & = {}) const
    {
        noc_inline_dw_write(noc_traits_t<Dst>::remote(dst, to), value, byte_enable, id);
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

    template <auto... options> void async_read_barrier(const NocOptVals & = {}) const
    {
        noc_async_read_barrier(id);
    }
    template <auto... options> void async_write_barrier(const NocOptVals & = {}) const
    {
        noc_async_write_barrier(id);
    }
    template <auto... options> void async_writes_flushed(const NocOptVals & = {}) const
    {
        noc_async_writes_flushed(id);
    }
    /* With a channel and an id as numbers. */
    template <auto... options, typename Src, typename Dst>
    void async_read(const Src &src, const Dst &dst, uint32_t bytes, const src_args<Src> &from,
                    const dst_args<Dst> &to, uint32_t, uint32_t = 0) const
    {
        async_read<options...>(src, dst, bytes, from, to);
    }
    template <auto... options, typename Src>
    void set_async_read_state(const Src &src, uint32_t bytes, const src_args<Src> &from, uint32_t) const
    {
        set_async_read_state<options...>(src, bytes, from);
    }
    template <auto... options, typename Src, typename Dst>
    void async_read_with_state(const Src &src, const Dst &dst, uint32_t bytes, const src_args<Src> &from,
                               const dst_args<Dst> &to, uint32_t) const
    {
        async_read_with_state<options...>(src, dst, bytes, from, to);
    }
    template <auto... options, typename Src, typename Dst>
    void async_write(const Src &src, const Dst &dst, uint32_t bytes, const src_args<Src> &from,
                     const dst_args<Dst> &to, uint32_t, uint32_t = 0) const
    {
        async_write<options...>(src, dst, bytes, from, to);
    }
    template <auto... options, typename Dst>
    void set_async_write_state(const Dst &dst, uint32_t bytes, const dst_args<Dst> &to, uint32_t) const
    {
        set_async_write_state<options...>(dst, bytes, to);
    }
    template <auto... options, typename Src, typename Dst>
    void async_write_with_state(const Src &src, const Dst &dst, uint32_t bytes, const src_args<Src> &from,
                                const dst_args<Dst> &to, uint32_t) const
    {
        async_write_with_state<options...>(src, dst, bytes, from, to);
    }
    template <auto... options, typename Src, typename Dst>
    void async_write_multicast(const Src &src, const Dst &dst, uint32_t bytes, uint32_t tiles,
                               const src_args<Src> &from, const mcast_args<Dst> &to, bool linked,
                               uint32_t) const
    {
        async_write_multicast<options...>(src, dst, bytes, tiles, from, to, linked);
    }
    template <auto... options, typename Dst>
    void inline_dw_write(const Dst &dst, uint32_t value, const dst_args<Dst> &to, uint8_t byte_enable,
                         uint32_t, uint32_t = 0) const
    {
        inline_dw_write<options...>(dst, value, to, byte_enable);
    }
    template <auto... options> void async_read_barrier(uint32_t) const
    {
        async_read_barrier();
    }
    template <auto... options> void async_write_barrier(uint32_t) const
    {
        async_write_barrier();
    }
    template <auto... options> void async_writes_flushed(uint32_t) const
    {
        async_writes_flushed();
    }
    void async_posted_writes_flushed() const
    {
        noc_async_posted_writes_flushed(id);
    }
    void async_atomic_barrier() const
    {
        noc_async_atomic_barrier(id);
    }
    void async_full_barrier() const
    {
        noc_async_full_barrier(id);
    }

  private:
    uint8_t id;
};

namespace experimental
{
using ::Noc;
using ::noc_traits_t;
} // namespace experimental
#endif
