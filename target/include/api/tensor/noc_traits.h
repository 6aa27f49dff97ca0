/* Pages of tensors as ends of transfers, by tt-metal's path and names. C++. */
#ifndef TENDRIL_API_TENSOR_NOC_TRAITS_H
#define TENDRIL_API_TENSOR_NOC_TRAITS_H
#include "api/dataflow/noc.h"

struct td_page_traits_ {
    struct src_args_type {
        uint32_t page_id = 0, offset_bytes = 0;
    };
    using dst_args_type = src_args_type;
    template <typename Pages> static uint64_t remote(const Pages &pages, const src_args_type &at)
    {
        return pages.get_noc_addr(at.page_id, at.offset_bytes);
    }
};
template <typename Args> struct noc_traits_t<TensorAccessor<Args>> : td_page_traits_ {
};
template <bool DRAM> struct noc_traits_t<InterleavedAddrGen<DRAM>> : td_page_traits_ {
};
template <bool DRAM, uint32_t tile_hw>
struct noc_traits_t<InterleavedAddrGenFast<DRAM, tile_hw>> : td_page_traits_ {
};

#endif
