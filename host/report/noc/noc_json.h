/* NoC traces of a trace's operations: a file for each operation that has events of the NoC, in tt-metal's
 * JSON.
 *
 * create; give its marks to td_trace_source_read(); finish; destroy
 *
 * Files are in `folder`, and get their names when all are complete. Not more than one file is open. */
#pragma once
#include "host/report/ops/core_walk.h"
#include "host/report/ops/host_ops.h"

struct td_noc_json;
/* NULL: no memory. The arguments must outlive the object. */
struct td_noc_json *td_noc_json_create(const char *folder, const struct td_trace *trace,
                                       struct td_host_ops *host);
/* Removes files that are not finished. NULL is allowed. */
void td_noc_json_destroy(struct td_noc_json *json);
struct td_core_marks td_noc_json_marks(struct td_noc_json *json);
/* *files: how many were written. */
int td_noc_json_finish(struct td_noc_json *json, uint64_t *files, struct td_err *err);
