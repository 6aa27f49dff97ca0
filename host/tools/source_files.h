/* The text of source files, put into a trace for whoever reads it elsewhere. */
#ifndef TD_HOST_TOOLS_SOURCE_FILES_H
#define TD_HOST_TOOLS_SOURCE_FILES_H
#include "host/base/err.h"
#include "host/trace/trace.h"

/* Adds the files that source locations and symbols name, that are not in the trace yet, and that are here and
 * older than the program (or the capture). 0, or TD_E_NOMEM; files that cannot be read are left out. */
int td_source_files(struct td_trace *trace, struct td_err *err);
#endif
