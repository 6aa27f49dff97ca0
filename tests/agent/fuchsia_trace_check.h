/* Reads any bytes as a trace in Fuchsia's format: the result is one error or a sound trace. */
#ifndef TD_TESTS_AGENT_FUCHSIA_TRACE_CHECK_H
#define TD_TESTS_AGENT_FUCHSIA_TRACE_CHECK_H
#include <stddef.h>
#include <stdint.h>

/* Fed in pieces of `piece` bytes. Returns its zones. */
int64_t fuchsia_trace_check(const void *bytes, size_t count, size_t piece);
#endif
