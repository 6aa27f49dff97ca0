/* The parts of the benchmark of draining. */
#ifndef TD_BENCH_DRAIN_PARTS_H
#define TD_BENCH_DRAIN_PARTS_H
#include "bench/report.h"

void bench_unpack(struct report *r);
void bench_transports(struct report *r);
void bench_kernels(struct report *r);
void bench_policies(struct report *r);
#endif
