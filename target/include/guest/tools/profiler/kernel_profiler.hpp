/* For guests in tt-metal's firmware (docs/guest-firmware.md): tt-metal's own header of this path, and then
 * its macros on Tendril's runtime. Compile with this header's folder first. tt-metal's own profiler is off
 * (no PROFILE_KERNEL), so its macros are nothing and may be replaced. tt-metal includes its header several
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
#include "../../../tools/profiler/kernel_profiler.hpp"
#endif
#endif
