/* Pages of tensors as ends of transfers, by tt-metal's path and names. C++. */
#ifndef TENDRIL_API_TENSOR_NOC_TRAITS_H
#define TENDRIL_API_TENSOR_NOC_TRAITS_H
#include "api/dataflow/noc.h"
#include "api/tensor/tensor_accessor.h"

/* An address in this tile is one of L1 as well. */
struct td_page_traits_ {
    struct src_args_type {
        uint32_t page_id = 0, offset_bytes = 0;
    };
    using dst_args_type = src_args_type;
    template <typename Pages> static uint64_t remote(const Pages &pages, const src_args_type &at)
    {
        return pages.get_noc_addr(at.page_id, at.offset_bytes);
    }
    template <typename Pages> static uint32_t local(const Pages &pages, const src_args_type &at)
    {
        return static_cast<uint32_t>(remote(pages, at));
    }
};
template <typename Args> struct noc_traits_t<TensorAccessor<Args>> : td_page_traits_ {
};
template <typename Accessor> struct noc_traits_t<PageView<Accessor>> : td_page_traits_ {
};
template <bool DRAM> struct noc_traits_t<InterleavedAddrGen<DRAM>> : td_page_traits_ {
};
template <bool DRAM, uint32_t tile_hw>
struct noc_traits_t<InterleavedAddrGenFast<DRAM, tile_hw>> : td_page_traits_ {
};
template <typename Accessor> struct noc_traits_t<ShardView<Accessor>> {
    struct src_args_type {
        uint32_t shard_id = 0, offset_bytes = 0;
    };
    using dst_args_type = src_args_type;
    static uint64_t remote(const ShardView<Accessor> &shards, const src_args_type &at)
    {
        return shards.get_noc_addr(at.shard_id, at.offset_bytes);
    }
    static uint32_t local(const ShardView<Accessor> &shards, const src_args_type &at)
    {
        return static_cast<uint32_t>(remote(shards, at));
    }
};
template <> struct noc_traits_t<tensor_accessor::Page> {
    struct src_args_type {
        uint32_t offset_bytes = 0;
    };
    using dst_args_type = src_args_type;
    static uint64_t remote(const tensor_accessor::Page &page, const src_args_type &at)
    {
        return page.noc_addr() + at.offset_bytes;
    }
    static uint32_t local(const tensor_accessor::Page &page, const src_args_type &at)
    {
        return static_cast<uint32_t>(remote(page, at));
    }
};

#endif
