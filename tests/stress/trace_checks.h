/* Compares a trace with what the program of random_program.h has marked. */
#ifndef TD_TESTS_STRESS_TRACE_CHECKS_H
#define TD_TESTS_STRESS_TRACE_CHECKS_H
#include "host/trace/trace.h"
#include "tests/stress/random_program.h"

#include <stdbool.h>

/* is_part: the trace may lack zones, and what was marked outside of it. Prints what differs. */
bool check_trace(const struct td_trace *trace, const struct random_log *log, bool is_part);
#endif
