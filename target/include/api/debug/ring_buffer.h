/* WATCHER_RING_BUFFER_PUSH(value): by tt-metal's name. The value is on the core's track, with its time. */
#ifndef TENDRIL_API_DEBUG_RING_BUFFER_H
#define TENDRIL_API_DEBUG_RING_BUFFER_H
#include "tools/profiler/kernel_profiler.hpp"

#define WATCHER_RING_BUFFER_PUSH(value) DeviceTimestampedData("ring buffer", value)

#endif
