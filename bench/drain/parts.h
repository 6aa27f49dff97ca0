/* The parts of the benchmark of draining. */
#pragma once
#include "bench/report.h"

void bench_unpack(struct report *r);
void bench_transports(struct report *r);
void bench_kernels(struct report *r);
void bench_policies(struct report *r);
