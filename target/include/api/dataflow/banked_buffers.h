/* Pages of buffers over banks of DRAM or L1, by tt-metal's names: interleaved, or in shards. */
#ifndef TENDRIL_API_DATAFLOW_BANKED_BUFFERS_H
#define TENDRIL_API_DATAFLOW_BANKED_BUFFERS_H
#include "api/dataflow/circular_buffers.h"
#include "api/dataflow/noc_transfers.h"

static inline const struct td_kernel_banks *td_kernel_banks_()
{
    return reinterpret_cast<const struct td_kernel_banks *>(td_kernel_env_()->banks);
}

template <bool DRAM> static inline uint32_t td_bank_count_()
{
    return DRAM ? td_kernel_banks_()->dram_count : td_kernel_banks_()->l1_count;
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
    const struct td_kernel_banks *banks = td_kernel_banks_();
    const uint32_t align = DRAM ? banks->dram_align : banks->l1_align;
    const uint32_t count = td_bank_count_<DRAM>(), row = page / count;
    const uint32_t stride = (page_bytes + align - 1) & ~(align - 1);
    return get_noc_addr_from_bank_id<DRAM>(page - row * count, base + row * stride + offset, noc);
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

template <bool DRAM> struct InterleavedPow2AddrGen {
    const uint32_t bank_base_address;
    const uint32_t log_base_2_of_page_size;
    uint32_t td_page_bytes() const
    {
        return 1u << log_base_2_of_page_size;
    }
    TD_PAGED_
};

template <bool DRAM> using InterleavedPow2AddrGenFast = InterleavedPow2AddrGen<DRAM>;

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

/* The compile-time arguments that describe a tensor, from number ARG on. The first one: bit 0, it is
 * sharded; bit 1, it is in DRAM. Then, only of a sharded tensor: its dimensions (1 or more), its banks,
 * the pages of the tensor in each dimension, those of a shard, and the places of the banks, x << 8 | y,
 * two in a word, the first one in its low half. */
template <uint32_t ARG, uint32_t COMMON_ARG = 0> struct TensorAccessorArgs {
    static constexpr uint32_t td_config = td_compile_time_arg_(ARG);
    static_assert(!(td_config & 0x7c), "the description of a tensor at run time is not supported");
    static constexpr bool is_sharded = (td_config & 1) != 0;
    static constexpr bool is_dram = (td_config & 2) != 0;
    static constexpr uint32_t td_dimensions()
    {
        if constexpr (is_sharded)
            return td_compile_time_arg_(ARG + 1);
        else
            return 0;
    }
    static constexpr uint32_t td_banks()
    {
        if constexpr (is_sharded)
            return td_compile_time_arg_(ARG + 2);
        else
            return 0;
    }
    static constexpr uint32_t td_tensor_pages(uint32_t dimension)
    {
        return td_compile_time_arg_(ARG + 3 + dimension);
    }
    static constexpr uint32_t td_shard_pages(uint32_t dimension)
    {
        return td_compile_time_arg_(ARG + 3 + td_dimensions() + dimension);
    }
    static constexpr uint32_t td_bank_place(uint32_t bank)
    {
        return td_compile_time_arg_(ARG + 3 + 2 * td_dimensions() + bank / 2) >> bank % 2 * 16 & 0xffff;
    }
    static constexpr uint32_t next_compile_time_args_offset()
    {
        return is_sharded ? ARG + 3 + 2 * td_dimensions() + (td_banks() + 1) / 2 : ARG + 1;
    }
    static constexpr uint32_t next_common_runtime_args_offset()
    {
        return COMMON_ARG;
    }
};

/* Shards are in the banks in turn, row by row of the tensor; so are the pages of a shard. Shards at an
 * edge have room for whole ones. */
template <typename Args>
static inline uint64_t td_sharded_page_addr_(uint32_t base, uint32_t page_bytes, uint32_t page,
                                             uint32_t offset)
{
    const struct td_kernel_banks *banks = td_kernel_banks_();
    const uint32_t align = Args::is_dram ? banks->dram_align : banks->l1_align;
    const uint32_t stride = (page_bytes + align - 1) & ~(align - 1);
    uint32_t shard = 0, shard_step = 1, in_shard = 0, volume = 1;
    for (uint32_t d = Args::td_dimensions(); d-- > 0;) {
        const uint32_t pages = Args::td_tensor_pages(d), of_shard = Args::td_shard_pages(d);
        const uint32_t at = page % pages;
        page /= pages;
        shard += at / of_shard * shard_step;
        in_shard += at % of_shard * volume;
        shard_step *= (pages + of_shard - 1) / of_shard;
        volume *= of_shard;
    }
    const uint32_t place = Args::td_bank_place(shard % Args::td_banks());
    const uint32_t at = base + (shard / Args::td_banks() * volume + in_shard) * stride + offset;
    return get_noc_addr(place >> 8, place & 0xff, at);
}

template <typename Args> struct TensorAccessor {
    static constexpr bool DRAM = Args::is_dram;
    uint32_t bank_base_address;
    uint32_t page_size;
    TensorAccessor(const Args &, uint32_t address, uint32_t page_bytes)
        : bank_base_address(address), page_size(page_bytes)
    {
    }
    uint32_t td_page_bytes() const
    {
        return page_size;
    }
    uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, uint8_t noc = noc_index) const
    {
        if constexpr (Args::is_sharded)
            return td_sharded_page_addr_<Args>(bank_base_address, page_size, page, offset);
        else
            return td_page_addr_<DRAM>(bank_base_address, page_size, page, offset, noc);
    }
    TD_PAGED_TRANSFERS_
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

template <typename Pages>
static inline void noc_async_read_page(uint32_t page, const Pages &pages, uint32_t to, uint32_t offset = 0,
                                       uint8_t noc = noc_index)
{
    pages.noc_async_read_page(page, to, offset, noc);
}

template <typename Pages>
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

#endif
