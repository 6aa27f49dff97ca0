/* Puts the text of source files into a trace, for viewers on other machines. */
#ifndef TD_HOST_TOOLS_SHARED_SOURCE_FILES_H
#define TD_HOST_TOOLS_SHARED_SOURCE_FILES_H
#include "host/agent/client/client_files.h"
#include "host/trace/trace.h"

/* Adds the files that source locations and symbols name, unless the trace has them already. They must be
 * older than the program (or the capture, if the program's time is unknown), and td_source_file_read() must
 * accept them. 0, or TD_E_NOMEM. */
int td_source_files(struct td_trace *trace, const struct td_source_rules *rules, struct td_err *err);
#endif
