/* Compares a trace with what the program of random_program.h has marked. */
#pragma once
#include "host/trace/trace.h"
#include "tests/stress/random_program.h"

#include <stdbool.h>

/* How much of what was marked has to be in the trace. */
enum check_how {
    CHECK_ALL,
    CHECK_BEGINS, /* all zones, but their ends and texts may be missing */
    CHECK_PART    /* nothing, but what is there has to be right */
};

/* since: what was marked before the recorder came, which is not in the trace; or NULL. Prints what differs. */
bool check_trace(const struct td_trace *trace, const struct random_log *log, const struct random_log *since,
                 enum check_how how);
