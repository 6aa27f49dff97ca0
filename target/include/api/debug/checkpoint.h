/* Points that cores pass, by tt-metal's path and names of 2026: each is an instant of its name. There they are also
 * barriers, and print buffers and Dst, for a debugger; here they keep no core waiting. */
#ifndef TENDRIL_API_DEBUG_CHECKPOINT_H
#define TENDRIL_API_DEBUG_CHECKPOINT_H
#include "tools/profiler/kernel_profiler.hpp"

#define DEBUG_CHECKPOINT(name)                                             DeviceFlag(name)
#define DEBUG_CHECKPOINT_EX(name, num_cbs, words_per_cb, dump_dest)        DeviceFlag(name)
#define DEBUG_CHECKPOINT_GLOBAL(name, sem_id, barrier_x, barrier_y, cores) DeviceFlag(name)

#endif
