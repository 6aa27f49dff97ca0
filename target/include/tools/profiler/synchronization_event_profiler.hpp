/* Waits and signals of kernels, by tt-metal's path and names of 2026. C++ and C.
 *
 *   SYNC_WAIT("CB-WAIT", cb);         from here to the end of the scope: a zone, and its key as "CB-WAIT-KEY"
 *   SYNC_SIGNAL("CB-PUSH", cb);       an instant with the same key
 *
 * With markers they are always recorded. */
#ifndef TENDRIL_SYNCHRONIZATION_EVENT_PROFILER_HPP
#define TENDRIL_SYNCHRONIZATION_EVENT_PROFILER_HPP
#include "tools/profiler/kernel_profiler.hpp"

#define SYNC_WAIT(name, key)                                                                                 \
    DeviceZoneScopedN(name);                                                                                 \
    DeviceTimestampedData(name "-KEY", (key))
#define SYNC_SIGNAL(name, key) DeviceTimestampedData(name, (key))

#endif
