/* A tile's performance counters (proto/device/perf_counters.h): registers in the page of its clock. They
 * count what the compute engine does; a command counts when it completes. Used by the thread of its tile
 * only. */
#pragma once
#include "boards/tensix_sim/sim.h"

/* 0: there is such a register of this tile. */
int perf_register_read(struct core *core, uint32_t address, uint64_t now, uint32_t *value);
int perf_register_write(struct core *core, uint32_t address, uint64_t now, uint32_t value);
void perf_finish(struct tile *tile);
