/* By tt-metal's path: packets of the fabric between chips, which this board has not. A kernel that sends one does
 * not link; the macro is there for those that only name it. */
#ifndef TENDRIL_FABRIC_EVENT_PROFILER_HPP
#define TENDRIL_FABRIC_EVENT_PROFILER_HPP
#include "tools/profiler/kernel_profiler.hpp"

#define RECORD_FABRIC_HEADER(header)                                                                         \
    DeviceTimestampedData("FABRIC-HEADER", reinterpret_cast<uintptr_t>(header))

#endif
