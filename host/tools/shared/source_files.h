/* The text of source files, put into a trace for whoever reads it elsewhere. */
#ifndef TD_HOST_TOOLS_SHARED_SOURCE_FILES_H
#define TD_HOST_TOOLS_SHARED_SOURCE_FILES_H
#include "host/agent/client/client_files.h"
#include "host/trace/trace.h"

/* Adds the files that source locations and symbols name, that are not in the trace yet, and that are here and
 * older than the program (or the capture), as far as td_source_file_read() gives them. 0, or TD_E_NOMEM. */
int td_source_files(struct td_trace *trace, const struct td_source_rules *rules, struct td_err *err);
#endif
