/* PAUSE(): by tt-metal's path and name. There it stops a core for its watcher; here it says that it came by. */
#ifndef TENDRIL_API_DEBUG_PAUSE_H
#define TENDRIL_API_DEBUG_PAUSE_H
#include "tools/profiler/kernel_profiler.hpp"

#define PAUSE() DeviceFlag("PAUSE")

#endif
