/* Traces with a bit of everything, for tests that compare what two programs make of them. */
#ifndef TD_TESTS_QUERY_RANDOM_TRACE_H
#define TD_TESTS_QUERY_RANDOM_TRACE_H
#include "host/trace/trace.h"

/* The same for the same seed. */
struct td_trace *random_trace(uint32_t seed);
#endif
