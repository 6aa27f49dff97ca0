/* Transfers and barriers of the NoC as events, by tt-metal's path and names. C++.
 *
 *   RECORD_NOC_EVENT(NocEventType::FULL_BARRIER, false, noc_index);
 *   RECORD_NOC_EVENT_WITH_ADDR(NocEventType::READ, l1_address, noc_address, bytes, vc, false, noc_index);
 *   RECORD_NOC_EVENT_WITH_ID(NocEventType::READ, l1_address, page, pages, offset, bytes, vc, false, noc_index);
 *
 * With PROFILE_NOC_EVENTS and markers, these and the functions of api/dataflow write a message for each
 * event: "NoC READ noc=NOC_0 vc=-1 num_bytes=64 dx=1 dy=2". `tendril report` makes tt-metal's NoC traces
 * of them. Without, the macros expand to nothing. */
#ifndef TENDRIL_NOC_EVENT_PROFILER_HPP
#define TENDRIL_NOC_EVENT_PROFILER_HPP
#include "tools/profiler/kernel_profiler.hpp"
#ifndef TD_GUEST
#include "api/dataflow/noc_addresses.h"
#elif defined(PROFILE_NOC_EVENTS) && defined(TD_PROFILE)
/* tt-metal's own addresses, with its own functions. */
#define TD_NOC_PART_(address, shift)                                                                         \
    (static_cast<uint32_t>((address) >> (NOC_ADDR_LOCAL_BITS + (shift))) & 0x3f)

static inline uint32_t td_noc_x_(uint64_t address, uint32_t corner = 0)
{
    return TD_NOC_PART_(address, 2 * NOC_ADDR_NODE_ID_BITS * corner);
}

static inline uint32_t td_noc_y_(uint64_t address, uint32_t corner = 0)
{
    return TD_NOC_PART_(address, NOC_ADDR_NODE_ID_BITS * (2 * corner + 1));
}
#endif

#if defined(PROFILE_NOC_EVENTS) && defined(TD_PROFILE)

/* X(name, destination: 0 none, 1 a tile, 2 a rectangle) */
#define TD_NOC_EVENTS(X)                                                                                     \
    X(READ, 1)                                                                                               \
    X(READ_SET_STATE, 1)                                                                                     \
    X(READ_SET_TRID, 0)                                                                                      \
    X(READ_WITH_STATE, 1)                                                                                    \
    X(READ_WITH_STATE_AND_TRID, 1)                                                                           \
    X(READ_BARRIER_START, 0)                                                                                 \
    X(READ_BARRIER_END, 0)                                                                                   \
    X(READ_BARRIER_WITH_TRID, 0)                                                                             \
    X(READ_DRAM_SHARDED_SET_STATE, 1)                                                                        \
    X(READ_DRAM_SHARDED_WITH_STATE, 1)                                                                       \
    X(WRITE_, 1)                                                                                             \
    X(WRITE_SET_TRID, 0)                                                                                     \
    X(WRITE_WITH_TRID, 1)                                                                                    \
    X(WRITE_INLINE, 1)                                                                                       \
    X(WRITE_MULTICAST, 2)                                                                                    \
    X(WRITE_SET_STATE, 1)                                                                                    \
    X(WRITE_WITH_STATE, 1)                                                                                   \
    X(WRITE_WITH_TRID_SET_STATE, 1)                                                                          \
    X(WRITE_WITH_TRID_WITH_STATE, 1)                                                                         \
    X(WRITE_BARRIER_START, 0)                                                                                \
    X(WRITE_BARRIER_END, 0)                                                                                  \
    X(WRITE_BARRIER_WITH_TRID, 0)                                                                            \
    X(WRITE_FLUSH, 0)                                                                                        \
    X(WRITE_FLUSH_WITH_TRID, 0)                                                                              \
    X(FULL_BARRIER, 0)                                                                                       \
    X(ATOMIC_BARRIER, 0)                                                                                     \
    X(SEMAPHORE_INC, 1)                                                                                      \
    X(SEMAPHORE_WAIT, 0)                                                                                     \
    X(SEMAPHORE_SET, 0)                                                                                      \
    X(SEMAPHORE_SET_REMOTE, 1)                                                                               \
    X(SEMAPHORE_SET_MULTICAST, 2)                                                                            \
    X(SEMAPHORE_INC_MULTICAST, 2)

struct KernelProfilerNocEventMetadata {
    enum class NocEventType : unsigned char {
#define TD_X(name, destination) name,
        TD_NOC_EVENTS(TD_X)
#undef TD_X
    };
};

template <KernelProfilerNocEventMetadata::NocEventType TYPE>
static inline __attribute__((always_inline)) void td_noc_event_(uint64_t to, uint32_t bytes, int32_t vc,
                                                                uint32_t noc)
{
    using NocEventType = KernelProfilerNocEventMetadata::NocEventType;
    (void)to, (void)bytes, (void)vc, (void)noc;
#define TD_X(name, destination)                                                                              \
    if constexpr (TYPE == NocEventType::name) {                                                              \
        if constexpr ((destination) == 0)                                                                    \
            TD_LOG("NoC " #name " noc=NOC_%u", noc);                                                         \
        else if constexpr ((destination) == 1)                                                               \
            TD_LOG("NoC " #name " noc=NOC_%u vc=%d num_bytes=%u dx=%u dy=%u", noc, vc, bytes, td_noc_x_(to), \
                   td_noc_y_(to));                                                                           \
        else                                                                                                 \
            TD_LOG("NoC " #name " noc=NOC_%u vc=%d num_bytes=%u mcast_start_x=%u mcast_start_y=%u "          \
                   "mcast_end_x=%u mcast_end_y=%u",                                                          \
                   noc, vc, bytes, td_noc_x_(to, 1), td_noc_y_(to, 1), td_noc_x_(to), td_noc_y_(to));        \
    }
    TD_NOC_EVENTS(TD_X)
#undef TD_X
}

#define TD_NOC_EVENT_(type, noc_addr, num_bytes, vc, noc)                                                    \
    do {                                                                                                     \
        using NocEventType = KernelProfilerNocEventMetadata::NocEventType;                                   \
        td_noc_event_<type>(noc_addr, num_bytes, vc, noc);                                                   \
    } while (0)

/* Each macro as its releases had it: the latest with the address in L1, whether the transfer is posted, and the
 * NoC. A page is one of an address generator, or in the first form of a buffer in DRAM or L1, where DRAM is a
 * constant of the kernel. */
#define TD_NOC_ARGS_(...)                                      TD_NOC_ARGS_9_(__VA_ARGS__, 9, 8, 7, 6, 5, 4, 3, 2, 1)
#define TD_NOC_ARGS_9_(a, b, c, d, e, f, g, h, i, n, ...)      n
#define RECORD_NOC_EVENT(...)                                  TD_CAT(TD_NOC_EVENT_, TD_NOC_ARGS_(__VA_ARGS__))(__VA_ARGS__)
#define TD_NOC_EVENT_1(type)                                   TD_NOC_EVENT_(type, 0, 0, -1, noc_index)
#define TD_NOC_EVENT_2(type, posted)                           TD_NOC_EVENT_(type, 0, 0, -1, noc_index)
#define TD_NOC_EVENT_3(type, posted, noc)                      TD_NOC_EVENT_(type, 0, 0, -1, noc)
#define RECORD_NOC_EVENT_WITH_ADDR(...)                        TD_CAT(TD_NOC_ADDR_, TD_NOC_ARGS_(__VA_ARGS__))(__VA_ARGS__)
#define TD_NOC_ADDR_4(type, to, bytes, vc)                     TD_NOC_EVENT_(type, to, bytes, vc, noc_index)
#define TD_NOC_ADDR_6(type, local, to, bytes, vc, posted)      TD_NOC_EVENT_(type, to, bytes, vc, noc_index)
#define TD_NOC_ADDR_7(type, local, to, bytes, vc, posted, noc) TD_NOC_EVENT_(type, to, bytes, vc, noc)
#define RECORD_NOC_EVENT_WITH_ID(...)                          TD_CAT(TD_NOC_ID_, TD_NOC_ARGS_(__VA_ARGS__))(__VA_ARGS__)
#define TD_NOC_ID_4(type, id, bytes, vc)                                                                     \
    TD_NOC_EVENT_(type, td_page_addr_<DRAM>(0, 0, id, 0, 0), bytes, vc, noc_index)
#define TD_NOC_ID_8(type, local, id, pages, offset, bytes, vc, posted)                                       \
    TD_NOC_EVENT_(type, (pages).get_noc_addr(id, offset), bytes, vc, noc_index)
#define TD_NOC_ID_9(type, local, id, pages, offset, bytes, vc, posted, noc)                                  \
    TD_NOC_EVENT_(type, (pages).get_noc_addr(id, offset), bytes, vc, noc)

/* The argument of 64 bits is the address. */
template <typename... Args> static inline uint64_t td_noc_address_in_(Args... args)
{
    uint64_t address = 0;
    ((address = sizeof(args) == 8 ? static_cast<uint64_t>(args) : address), ...);
    return address;
}
#define RECORD_NOC_ATOMIC_INCREMENT_WITH_ADDR(type, ...)                                                     \
    TD_NOC_EVENT_(type, td_noc_address_in_(__VA_ARGS__), 0, -1, noc_index)

#else

#define RECORD_NOC_EVENT(...)                      ((void)0)
#define RECORD_NOC_EVENT_WITH_ADDR(...)            ((void)0)
#define RECORD_NOC_EVENT_WITH_ID(...)              ((void)0)
#define RECORD_NOC_ATOMIC_INCREMENT_WITH_ADDR(...) ((void)0)

#endif

#define NOC_TRACE_QUICK_PUSH_IF_LINKED(cmd_buf, linked) ((void)0)

#endif
