/* A tile's compute engine: unpackers, matrix and vector unit, packers (proto/device/compute.h). Used by the
 * thread of its tile only. */
#pragma once
#include "boards/tensix_sim/sim.h"

/* 0: there is such a register, at this offset from the first one. */
int compute_register_read(struct core *core, uint32_t offset, uint64_t now, uint32_t *value);
int compute_register_write(struct core *core, uint32_t offset, uint64_t now, uint32_t value);
/* A core comes out of reset: what its unit holds is forgotten. */
void compute_release(struct core *core);
void compute_finish(struct tile *tile);
/* Ticks for which the units did what each performance counter counts, by enum td_perf_counter, since the
 * start. */
void compute_counts(struct core *core, uint64_t now, uint64_t *counts);
