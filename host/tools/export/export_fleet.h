/* The folder of a trace in a folder of many: OUT/host=NAME/run=ID, which readers of Parquet take for two columns. */
#pragma once
#include "host/base/err.h"
#include "host/trace/trace.h"

/* Makes the folders above it. `host`: NULL: the trace's; `file`: of the trace, whose name without its ending is ID. *path is
 * the caller's to free. */
int export_fleet_path(const char *out, const struct td_trace *trace, const char *host, const char *file,
                      char **path, struct td_err *err);
