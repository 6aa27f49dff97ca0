/* Traces made for the viewer's tests. */
#ifndef TD_TESTS_VIEWER_DEMO_TRACE_H
#define TD_TESTS_VIEWER_DEMO_TRACE_H
#include "host/trace/trace.h"

/* A matrix product on `tiles` x `tiles` tiles of five cores: host threads with nested zones, frames,
 * messages, plots, waits, stalls, losses and flows. The same at every call. */
struct td_trace *demo_trace(int tiles);
/* One track with `zones` zones of 60 ns, one every 100 ns, in a zone that spans all of them. */
struct td_trace *dense_trace(size_t zones);
#endif
