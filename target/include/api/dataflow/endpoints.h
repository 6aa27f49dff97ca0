/* Places of the NoC and banks of memory as ends of transfers, by tt-metal's path and names. C++. */
#ifndef TENDRIL_API_DATAFLOW_ENDPOINTS_H
#define TENDRIL_API_DATAFLOW_ENDPOINTS_H
#include "api/dataflow/noc.h"

struct UnicastEndpoint {
};
struct MulticastEndpoint {
};
enum class AllocatorBankType { L1, DRAM };
template <AllocatorBankType type> struct AllocatorBank {
};

template <> struct noc_traits_t<UnicastEndpoint> {
    struct src_args_type {
        uint32_t noc_x = 0, noc_y = 0, addr = 0;
    };
    using dst_args_type = src_args_type;
    static uint64_t remote(const UnicastEndpoint &, const src_args_type &at)
    {
        return ::get_noc_addr(at.noc_x, at.noc_y, at.addr);
    }
    static uint32_t local(const UnicastEndpoint &, const src_args_type &at)
    {
        return at.addr;
    }
};

template <> struct noc_traits_t<MulticastEndpoint> {
    struct dst_args_mcast_type {
        uint32_t noc_x_start = 0, noc_y_start = 0, noc_x_end = 0, noc_y_end = 0, addr = 0;
    };
    static uint64_t remote_mcast(const MulticastEndpoint &, const dst_args_mcast_type &at)
    {
        return ::get_noc_multicast_addr(at.noc_x_start, at.noc_y_start, at.noc_x_end, at.noc_y_end, at.addr);
    }
};

template <AllocatorBankType type> struct noc_traits_t<AllocatorBank<type>> {
    struct src_args_type {
        uint32_t bank_id = 0, addr = 0;
    };
    using dst_args_type = src_args_type;
    static uint64_t remote(const AllocatorBank<type> &, const src_args_type &at)
    {
        return get_noc_addr_from_bank_id<type == AllocatorBankType::DRAM>(at.bank_id, at.addr);
    }
};

namespace experimental
{
using ::AllocatorBank;
using ::AllocatorBankType;
using ::MulticastEndpoint;
using ::UnicastEndpoint;
} // namespace experimental
#endif
