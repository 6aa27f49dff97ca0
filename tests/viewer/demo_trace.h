/* Traces made for the viewer's tests. */
#ifndef TD_TESTS_VIEWER_DEMO_TRACE_H
#define TD_TESTS_VIEWER_DEMO_TRACE_H
#include "host/trace/trace.h"

/* Host threads with nested zones, frames and messages, plots, and `tiles` x `tiles` tiles of five cores that
 * work on a product of matrices: waits, stalls, losses, flows. The same at every call. */
struct td_trace *demo_trace(int tiles);
/* One track with `zones` zones of 60 ns, one each 100 ns, in a zone that spans them all. */
struct td_trace *dense_trace(size_t zones);
#endif
