/* Reads any bytes as a trace in Chrome's format: the result is one error or a sound trace. */
#ifndef TD_TESTS_AGENT_CHROME_TRACE_CHECK_H
#define TD_TESTS_AGENT_CHROME_TRACE_CHECK_H
#include <stddef.h>
#include <stdint.h>

/* Fed in pieces of `piece` bytes. -1: it was refused; else its zones. */
int64_t chrome_trace_check(const void *bytes, size_t count, size_t piece);
#endif
