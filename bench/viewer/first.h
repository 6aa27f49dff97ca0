/* How long it takes until a user sees something of a large trace, from the start of a process that opens the file
 * as `tendril view` does: the window with the first frame, and the first frame that shows zones in the rows of the
 * timeline. The file is read in the background and is not complete by then; it is in the page cache. The window is
 * real where Xvfb is installed. */
#pragma once
#include "bench/report.h"
#include "host/trace/trace.h"

#include <stdbool.h>

/* Writes the trace to a file, has processes show it, and reports the best of some runs, `quick`: of one. 0, or -1: reported. */
int report_first(struct report *report, bool quick, const struct td_trace *trace);
/* Such a process, "viewer first WHERE FILE BEGIN" with "window" or "offscreen": prints the seconds from BEGIN, by
 * td_mono_ns(), in nanoseconds, to the window and to the picture. */
int show_first(struct report *report, const char *where, const char *path, const char *begin_ns);
