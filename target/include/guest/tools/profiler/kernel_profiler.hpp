/* For guests in tt-metal's firmware (docs/guest-firmware.md): tt-metal's own header of this path, and then
 * its macros on Tendril's runtime. Compile with this header's folder first. tt-metal's own profiler is off
 * (no PROFILE_KERNEL), so its macros expand to nothing and may be replaced. tt-metal includes its header several
 * times; the macros are replaced once. */
#ifndef TENDRIL_GUEST_KERNEL_PROFILER_HPP
#define TENDRIL_GUEST_KERNEL_PROFILER_HPP
#include_next <tools/profiler/kernel_profiler.hpp>

#ifdef TD_GUEST
#undef DeviceProfilerInit
#undef DeviceTraceOnlyProfilerInit
#undef DeviceIncrementTraceCount
#undef DeviceZoneScopedN
#undef DeviceZoneScopedND
#undef DeviceZoneScopedNIf
#undef DeviceZoneScopedMainN
#undef DeviceZoneScopedMainChildN
#undef DeviceZoneScopedSumN1
#undef DeviceZoneScopedSumN2
#undef DeviceTimestampedData
#undef DeviceRecordEvent
#undef DeviceFlag
#undef DeviceZoneSetCounter
#undef DeviceValidateProfiler
#undef RECORD_NOC_EVENT
#undef RECORD_NOC_EVENT_WITH_ADDR
#undef RECORD_NOC_EVENT_WITH_ID
#undef RECORD_NOC_ATOMIC_INCREMENT_WITH_ADDR
#undef NOC_TRACE_QUICK_PUSH_IF_LINKED
#undef RECORD_SCOPED_LOCK_EVENT
#undef StartPerfCounters
#undef StopPerfCounters
#undef RecordPerfCounters
#include "../../../tools/profiler/kernel_profiler.hpp"
#include "launch_op.hpp"
#undef DeviceZoneScopedMainChildN
/* The zone of a whole kernel: its launch is of the operation that tt-metal's host has named in the launch message. */
#define DeviceZoneScopedMainChildN(name)                                                                     \
    TD_LAUNCH_OP();                                                                                          \
    TD_MAIN_(__COUNTER__, name)
#include "../../../tools/profiler/perf_counters.hpp"
#if defined(COMPILE_FOR_BRISC) || defined(COMPILE_FOR_NCRISC)
#include "../../../tools/profiler/noc_debugging_profiler.hpp"
#include "../../../tools/profiler/noc_event_profiler.hpp"
#else /* no other core uses the NoC */
#define RECORD_NOC_EVENT(...)
#define RECORD_NOC_EVENT_WITH_ADDR(...)
#define RECORD_NOC_EVENT_WITH_ID(...)
#define NOC_TRACE_QUICK_PUSH_IF_LINKED(...)
#define RECORD_SCOPED_LOCK_EVENT(...)
#endif
#endif
#endif
