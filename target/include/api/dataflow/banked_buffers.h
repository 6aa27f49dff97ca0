/* Pages of interleaved buffers over banks of DRAM or L1, by tt-metal's names. */
#ifndef TENDRIL_API_DATAFLOW_BANKED_BUFFERS_H
#define TENDRIL_API_DATAFLOW_BANKED_BUFFERS_H
#include "api/dataflow/circular_buffers.h"
#include "api/dataflow/noc_transfers.h"

#include <type_traits>
#include <utility>

static inline const struct td_kernel_banks *td_kernel_banks_()
{
    return reinterpret_cast<const struct td_kernel_banks *>(td_kernel_env_()->banks);
}

template <bool DRAM> static inline uint32_t td_bank_count_()
{
    return DRAM ? td_kernel_banks_()->dram_count : td_kernel_banks_()->l1_count;
}

template <bool DRAM> static inline uint32_t td_bank_align_()
{
    return DRAM ? td_kernel_banks_()->dram_align : td_kernel_banks_()->l1_align;
}

/* From a page in a bank to the next one. */
template <bool DRAM> static inline uint32_t td_stride_(uint32_t page_bytes)
{
    const uint32_t align = td_bank_align_<DRAM>();
    return (page_bytes + align - 1) & ~(align - 1);
}

template <bool DRAM>
static inline uint64_t get_noc_addr_from_bank_id(uint32_t bank, uint32_t address, uint8_t noc = noc_index)
{
    const struct td_kernel_banks *banks = td_kernel_banks_();
    const uint32_t xy = banks->xy[DRAM ? bank : banks->dram_count + bank];
    return get_noc_addr(xy & 0xff, xy >> 8 & 0xff, address, noc);
}

/* Where a page of a buffer is. `page_bytes` need not be aligned. */
template <bool DRAM>
static inline uint64_t td_page_addr_(uint32_t base, uint32_t page_bytes, uint32_t page, uint32_t offset,
                                     uint8_t noc)
{
    const uint32_t count = td_bank_count_<DRAM>(), row = page / count;
    return get_noc_addr_from_bank_id<DRAM>(page - row * count,
                                           base + row * td_stride_<DRAM>(page_bytes) + offset, noc);
}

static inline uint64_t get_dram_noc_addr(uint32_t page, uint32_t page_bytes, uint32_t base,
                                         uint32_t offset = 0, uint8_t noc = noc_index)
{
    return td_page_addr_<true>(base, page_bytes, page, offset, noc);
}
static inline uint64_t get_l1_noc_addr(uint32_t page, uint32_t page_bytes, uint32_t base, uint32_t offset = 0,
                                       uint8_t noc = noc_index)
{
    return td_page_addr_<false>(base, page_bytes, page, offset, noc);
}

#define TD_PAGED_                                                                                            \
    uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, uint8_t noc = noc_index) const                 \
    {                                                                                                        \
        return td_page_addr_<DRAM>(bank_base_address, td_page_bytes(), page, offset, noc);                   \
    }                                                                                                        \
    TD_PAGED_TRANSFERS_
#define TD_PAGED_TRANSFERS_                                                                                  \
    void noc_async_read_page(uint32_t page, uint32_t to, uint32_t offset = 0, uint8_t noc = noc_index) const \
    {                                                                                                        \
        noc_async_read(get_noc_addr(page, offset, noc), to, td_page_bytes(), noc);                           \
    }                                                                                                        \
    void noc_async_write_page(uint32_t page, uint32_t from, uint32_t bytes = 0, uint32_t offset = 0,         \
                              uint8_t noc = noc_index) const                                                 \
    {                                                                                                        \
        noc_async_write(from, get_noc_addr(page, offset, noc), bytes ? bytes : td_page_bytes(), noc);        \
    }                                                                                                        \
    void noc_async_read_tile(uint32_t tile, uint32_t to, uint32_t offset = 0, uint8_t noc = noc_index) const \
    {                                                                                                        \
        noc_async_read_page(tile, to, offset, noc);                                                          \
    }                                                                                                        \
    void noc_async_write_tile(uint32_t tile, uint32_t from, uint8_t noc = noc_index) const                   \
    {                                                                                                        \
        noc_async_write_page(tile, from, 0, 0, noc);                                                         \
    }

template <bool DRAM> struct InterleavedAddrGen {
    uint32_t bank_base_address;
    const uint32_t page_size;
    uint32_t td_page_bytes() const
    {
        return page_size;
    }
    TD_PAGED_
};

/* Two types: kernels have functions of each. */
#define TD_POW2_(name)                                                                                       \
    template <bool DRAM> struct name {                                                                       \
        const uint32_t bank_base_address;                                                                    \
        const uint32_t log_base_2_of_page_size;                                                              \
        uint32_t td_page_bytes() const                                                                       \
        {                                                                                                    \
            return 1u << log_base_2_of_page_size;                                                            \
        }                                                                                                    \
        TD_PAGED_                                                                                            \
    };
TD_POW2_(InterleavedPow2AddrGen)
TD_POW2_(InterleavedPow2AddrGenFast)
#undef TD_POW2_

template <bool DRAM, uint32_t tile_hw = 1024> struct InterleavedAddrGenFast {
    uint32_t bank_base_address;
    uint32_t page_size;
    DataFormat data_format;
    uint32_t td_page_bytes() const
    {
        return page_size;
    }
    TD_PAGED_
};

template <typename Pages>
static inline auto get_noc_addr(uint32_t page, const Pages &pages, uint32_t offset = 0,
                                uint8_t noc = noc_index) -> decltype(pages.get_noc_addr(page, offset, noc))
{
    return pages.get_noc_addr(page, offset, noc);
}

/* With DRAM named. */
template <bool DRAM, typename Pages>
static inline uint64_t get_noc_addr(uint32_t page, const Pages &pages, uint32_t offset = 0,
                                    uint8_t noc = noc_index)
{
    return pages.get_noc_addr(page, offset, noc);
}

template <typename Pages, bool tracing = true>
static inline void noc_async_read_page(uint32_t page, const Pages &pages, uint32_t to, uint32_t offset = 0,
                                       uint8_t noc = noc_index)
{
    pages.noc_async_read_page(page, to, offset, noc);
}

template <typename Pages, bool tracing = true, bool posted = false>
static inline void noc_async_write_page(uint32_t page, const Pages &pages, uint32_t from, uint32_t bytes = 0,
                                        uint32_t offset = 0, uint8_t noc = noc_index)
{
    pages.noc_async_write_page(page, from, bytes, offset, noc);
}

template <typename Pages>
static inline void noc_async_read_tile(uint32_t tile, const Pages &pages, uint32_t to, uint32_t offset = 0,
                                       uint8_t noc = noc_index)
{
    pages.noc_async_read_page(tile, to, offset, noc);
}

template <typename Pages>
static inline void noc_async_write_tile(uint32_t tile, const Pages &pages, uint32_t from,
                                        uint8_t noc = noc_index)
{
    pages.noc_async_write_page(tile, from, 0, 0, noc);
}

/* What a generator of addresses has, for kernels that take any. */
template <typename T, typename = void> inline constexpr bool has_get_aligned_page_size_v = false;
template <typename T>
inline constexpr bool
    has_get_aligned_page_size_v<T, std::void_t<decltype(std::declval<const T &>().get_aligned_page_size())>> =
        true;
template <typename T, typename = void> inline constexpr bool has_page_size_v = false;
template <typename T>
inline constexpr bool has_page_size_v<T, std::void_t<decltype(std::declval<const T &>().page_size)>> = true;
template <typename T, typename = void> inline constexpr bool has_required_addrgen_traits_v = false;
template <typename T>
inline constexpr bool has_required_addrgen_traits_v<
    T, std::void_t<decltype(std::declval<const T &>().get_noc_addr(uint32_t(), uint32_t()))>> = true;

#endif
