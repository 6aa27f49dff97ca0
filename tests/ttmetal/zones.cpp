/* A kernel of any processor: as many zones as its argument says, and each of tt-metal's other markers. */
#include <cstdint>

#include "tools/profiler/kernel_profiler.hpp"
#include "tools/profiler/synchronization_event_profiler.hpp" // Tendril's, where a release has none
#if defined(COMPILE_FOR_BRISC) || defined(COMPILE_FOR_NCRISC)
#include "api/dataflow/dataflow_api.h"
#include "tools/profiler/fabric_event_profiler.hpp"
#include "tools/profiler/noc_debugging_profiler.hpp"
#include "tools/profiler/noc_event_profiler.hpp"
struct Pages { // as accessors of tensors
    uint64_t get_noc_addr(uint32_t page, uint32_t offset) const
    {
        return ::get_noc_addr(1, 2, 0x2000u + 1024 * page + offset);
    }
};
#else
#include "api/compute/common.h"
#endif

void kernel_main()
{
    const uint32_t count = get_arg_val<uint32_t>(0);
    for (uint32_t i = 0; i < count; i++) {
        DeviceZoneScopedN("turn");
        {
            DeviceZoneScopedSumN1("sum 1");
            DeviceZoneScopedSumN2("sum 2");
        }
    }
    DeviceTimestampedData("turns", count);
    DeviceRecordEvent(7);
    {
        SYNC_WAIT("wait", 4);
    }
    SYNC_SIGNAL("signal", 4);
    StartPerfCounters();
    StopPerfCounters();
#if defined(COMPILE_FOR_BRISC) || defined(COMPILE_FOR_NCRISC)
    RECORD_NOC_EVENT(NocEventType::FULL_BARRIER, false, noc_index);
    RECORD_NOC_EVENT_WITH_ADDR(NocEventType::READ, 0x1000u, get_noc_addr(0x2000u), 64, -1, false, noc_index);
    RECORD_NOC_EVENT_WITH_ID(NocEventType::WRITE_, 0x1000u, 3u, Pages{}, 16u, 96, 1, true, noc_index);
    RECORD_NOC_ATOMIC_INCREMENT_WITH_ADDR(NocEventType::SEMAPHORE_INC, get_noc_addr(0x2000u), 4u);
    RECORD_SCOPED_LOCK_EVENT(NocDebuggingEventMetadata::NocDebugEventType::MEM_LOCK, 0x1000u, 64u);
    uint32_t header = 0;
    RECORD_FABRIC_HEADER(&header);
    (void)header;
#endif
}
