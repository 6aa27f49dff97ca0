/* The name under which tables, pages and comparisons add up operations. */
#pragma once
#include "host/report/ops/host_ops.h"
#include "host/report/ops/op.h"

/* The host's name of the operation, else that of its launches, else how many tiles it ran on ("unnamed, 20
 * tiles"). `host` may be NULL. At most `room` bytes, whole characters. Returns `label`. */
const char *td_op_label(const struct td_host_ops *host, const struct td_op_sum *op, char *label, size_t room);
