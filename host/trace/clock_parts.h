/* The bound on the error of the chips' times over time, as the trace has it in its notes. */
#pragma once
#include "host/trace/trace.h"
#include "proto/clock_text.h"

/* The next part from the app info *next on, which is 0 at first. False: there is no other one. */
bool td_clock_part_next(const struct td_trace *trace, size_t *next, struct td_clock_part *part);
