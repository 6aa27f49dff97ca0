/* Operations of a trace that was imported from a report of operations: it has no cores, but tracks such as "chip 0
 * operations", whose outermost zones are the operations. */
#pragma once
#include "host/report/ops/op.h"
#include "host/trace/trace.h"

/* Gives each operation with its time as that of the kernels, in ns, and without cores, of each track in the order of
 * time. The latency is to the operation before on the track. Another value than 0 of give() ends the reading, and
 * is returned. */
int td_op_tracks_read(const struct td_trace *trace, const struct td_op_sums_options *options,
                      struct td_err *err);
