/* per_core_op_to_op_times*.csv: for each pair of operations that follow each other on a core, the time from
 * the KERNEL end of the first to the KERNEL start on BRISC, NCRISC or ERISC of the second, less what
 * tt-metal's scripts subtract for the profiler. A row has a pair and a column for each core.
 *
 * create; add operations in order of their starts; destroy */
#pragma once
#include "host/report/ops/op.h"

#include <stdio.h>

#define TD_CORE_LATENCY_OVERHEAD_NS 1500

struct td_core_latency;
/* The places of cores are those of the columns: `count` values x << 16 | y, which are copied and sorted.
 * NULL: no memory. */
struct td_core_latency *td_core_latency_create(FILE *to, const uint32_t *cores, size_t count);
void td_core_latency_destroy(struct td_core_latency *latency);
/* 0 or TD_E_NOMEM. */
int td_core_latency_add(struct td_core_latency *latency, const struct td_op_sum *op);
