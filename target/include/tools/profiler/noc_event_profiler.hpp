/* Transfers and barriers of the NoC as events, by tt-metal's path and names. C++.
 *
 *   RECORD_NOC_EVENT(NocEventType::FULL_BARRIER);
 *   RECORD_NOC_EVENT_WITH_ADDR(NocEventType::READ, noc_address, bytes, vc);
 *
 * With PROFILE_NOC_EVENTS and markers, these and the functions of api/dataflow write a message for each
 * event: "NoC READ noc=NOC_0 vc=-1 num_bytes=64 dx=1 dy=2". `tendril report` makes tt-metal's NoC traces
 * of them. Without, the macros are nothing. */
#ifndef TENDRIL_NOC_EVENT_PROFILER_HPP
#define TENDRIL_NOC_EVENT_PROFILER_HPP
#include "tools/profiler/kernel_profiler.hpp"
#include "api/dataflow/noc_addresses.h"

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
    X(WRITE_, 1)                                                                                             \
    X(WRITE_WITH_TRID, 1)                                                                                    \
    X(WRITE_INLINE, 1)                                                                                       \
    X(WRITE_MULTICAST, 2)                                                                                    \
    X(WRITE_SET_STATE, 1)                                                                                    \
    X(WRITE_WITH_STATE, 1)                                                                                   \
    X(WRITE_BARRIER_START, 0)                                                                                \
    X(WRITE_BARRIER_END, 0)                                                                                  \
    X(WRITE_BARRIER_WITH_TRID, 0)                                                                            \
    X(WRITE_FLUSH, 0)                                                                                        \
    X(FULL_BARRIER, 0)                                                                                       \
    X(ATOMIC_BARRIER, 0)                                                                                     \
    X(SEMAPHORE_INC, 1)                                                                                      \
    X(SEMAPHORE_WAIT, 0)                                                                                     \
    X(SEMAPHORE_SET, 0)                                                                                      \
    X(SEMAPHORE_SET_REMOTE, 1)                                                                               \
    X(SEMAPHORE_SET_MULTICAST, 2)

struct KernelProfilerNocEventMetadata {
    enum class NocEventType : unsigned char {
#define TD_X(name, destination) name,
        TD_NOC_EVENTS(TD_X)
#undef TD_X
    };
};

template <KernelProfilerNocEventMetadata::NocEventType TYPE>
static inline __attribute__((always_inline)) void td_noc_event_(uint64_t to, uint32_t bytes, int32_t vc)
{
    using NocEventType = KernelProfilerNocEventMetadata::NocEventType;
    (void)to, (void)bytes, (void)vc;
#define TD_X(name, destination)                                                                              \
    if constexpr (TYPE == NocEventType::name) {                                                              \
        if constexpr ((destination) == 0)                                                                    \
            TD_LOG("NoC " #name " noc=NOC_0");                                                               \
        else if constexpr ((destination) == 1)                                                               \
            TD_LOG("NoC " #name " noc=NOC_0 vc=%d num_bytes=%u dx=%u dy=%u", vc, bytes, td_noc_x_(to),       \
                   td_noc_y_(to));                                                                           \
        else                                                                                                 \
            TD_LOG("NoC " #name " noc=NOC_0 vc=%d num_bytes=%u mcast_start_x=%u mcast_start_y=%u "           \
                   "mcast_end_x=%u mcast_end_y=%u",                                                          \
                   vc, bytes, td_noc_x_(to, 1), td_noc_y_(to, 1), td_noc_x_(to), td_noc_y_(to));             \
    }
    TD_NOC_EVENTS(TD_X)
#undef TD_X
}

#define RECORD_NOC_EVENT_WITH_ADDR(type, noc_addr, num_bytes, vc)                                            \
    do {                                                                                                     \
        using NocEventType = KernelProfilerNocEventMetadata::NocEventType;                                   \
        td_noc_event_<type>(noc_addr, num_bytes, vc);                                                        \
    } while (0)
#define RECORD_NOC_EVENT(type) RECORD_NOC_EVENT_WITH_ADDR(type, 0, 0, -1)

#else

#define RECORD_NOC_EVENT_WITH_ADDR(type, noc_addr, num_bytes, vc) ((void)0)
#define RECORD_NOC_EVENT(type)                                    ((void)0)

#endif
/* Of page `noc_id` of a buffer in DRAM or L1, where DRAM is a constant of the kernel, as in tt-metal. */
#define RECORD_NOC_EVENT_WITH_ID(type, noc_id, num_bytes, vc)                                                \
    RECORD_NOC_EVENT_WITH_ADDR(type, td_page_addr_<DRAM>(0, 0, noc_id, 0, 0), num_bytes, vc)
#define NOC_TRACE_QUICK_PUSH_IF_LINKED(cmd_buf, linked) ((void)0)

#endif
