/* BRISC: a read, a write and a multicast of the own tile, with barriers, then calls with a state and the macros
 * of 2026; without a kernel environment. */
#include "tools/profiler/fabric_event_profiler.hpp"
#include "tools/profiler/noc_debugging_profiler.hpp"
#include "tools/profiler/synchronization_event_profiler.hpp"

static TD_L1 uint32_t words[64];

void kernel_main()
{
    const uint32_t at = reinterpret_cast<uint32_t>(words), half = sizeof words / 2;
    DeviceZoneScopedMainN("BRISC-KERNEL");
    noc_async_read(get_noc_addr(at), at + half, half);
    noc_async_read_barrier();
    noc_async_write(at, get_noc_addr(at + half), 64);
    noc_async_write_barrier();
    noc_async_write_multicast_loopback_src(
        at, get_noc_multicast_addr(my_x[0], my_y[0], my_x[0], my_y[0], at + half), 32, 1);
    noc_async_full_barrier();
    RECORD_NOC_EVENT_WITH_ADDR(NocEventType::SEMAPHORE_INC, get_noc_addr(at), 4, 1);
    noc_async_read_one_packet_set_state(get_noc_addr(at), 48);
    noc_async_read_one_packet_with_state(at, at + half);
    noc_async_write_one_packet_set_state(get_noc_addr(at + half), 16);
    noc_async_write_one_packet_with_state(at, at + half);
    noc_semaphore_set_remote(at, get_noc_addr(at + half));
    noc_async_full_barrier();

    using Lock = NocDebuggingEventMetadata::NocDebugEventType;
    RECORD_NOC_EVENT(NocEventType::WRITE_FLUSH_WITH_TRID, false, 1);
    RECORD_NOC_EVENT_WITH_ADDR(NocEventType::READ, at, get_noc_addr(at), 96, 2, false, 1);
    RECORD_NOC_ATOMIC_INCREMENT_WITH_ADDR(NocEventType::SEMAPHORE_INC, at, get_noc_addr(at), 3, 1);
    RECORD_SCOPED_LOCK_EVENT(Lock::CB_LOCK, 0x12340, 64);
    RECORD_SCOPED_LOCK_EVENT(Lock::CB_UNLOCK, 0x12340, 64);
    RECORD_SCOPED_LOCK_EVENT(Lock::MEM_LOCK, 0x12380, 32);
    RECORD_SCOPED_LOCK_EVENT(Lock::MEM_UNLOCK, 0x12380, 32);
    {
        SYNC_WAIT("CB-WAIT", 4);
    }
    SYNC_SIGNAL("CB-PUSH", 5);
    RECORD_FABRIC_HEADER(reinterpret_cast<const void *>(0x1230));
}
