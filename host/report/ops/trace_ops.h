/* The operations of a finished trace, or of one that grows as far as it is known. All commands and the viewer take
 * them from here: from launches on cores; in a trace without any, from the tracks of an imported report. */
#pragma once
#include "host/report/ops/op.h"
#include "host/trace/trace.h"

/* `options` as for td_op_sums_create(); its clock is that of the trace, and is not used. An operation's name is its
 * label (op_label.h). 0, or the value other than 0 of a function of the options. */
int td_trace_ops_read(const struct td_trace *trace, const struct td_op_sums_options *options,
                      struct td_err *err);
