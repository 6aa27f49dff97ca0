/* Locks of memory as messages, by tt-metal's path and names of 2026. C++.
 *
 *   RECORD_SCOPED_LOCK_EVENT(NocDebuggingEventMetadata::NocDebugEventType::MEM_LOCK, address, bytes);
 *
 * With PROFILE_NOC_EVENTS and markers, each is a message: "MEM_LOCK 0x12340 num_bytes=64". Without, nothing. */
#ifndef TENDRIL_NOC_DEBUGGING_PROFILER_HPP
#define TENDRIL_NOC_DEBUGGING_PROFILER_HPP
#include "tools/profiler/kernel_profiler.hpp"
#include "tools/profiler/noc_debugging_metadata.hpp"

#if defined(PROFILE_NOC_EVENTS) && defined(TD_PROFILE)
template <NocDebuggingEventMetadata::NocDebugEventType TYPE>
static inline __attribute__((always_inline)) void td_lock_event_(uint32_t address, uint32_t bytes)
{
    using Type = NocDebuggingEventMetadata::NocDebugEventType;
    if constexpr (TYPE == Type::CB_LOCK)
        TD_LOG("CB_LOCK 0x%x num_bytes=%u", address, bytes);
    else if constexpr (TYPE == Type::CB_UNLOCK)
        TD_LOG("CB_UNLOCK 0x%x num_bytes=%u", address, bytes);
    else if constexpr (TYPE == Type::MEM_LOCK)
        TD_LOG("MEM_LOCK 0x%x num_bytes=%u", address, bytes);
    else
        TD_LOG("MEM_UNLOCK 0x%x num_bytes=%u", address, bytes);
}
#define RECORD_SCOPED_LOCK_EVENT(type, address, num_bytes) td_lock_event_<type>(address, num_bytes)
#else
#define RECORD_SCOPED_LOCK_EVENT(type, address, num_bytes) ((void)0)
#endif

#endif
