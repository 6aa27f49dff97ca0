/* The callers that a sampled call stack lacks. The kernel follows frame registers: where the innermost functions have
 * none, as those of most libraries, it misses their callers. These are found by the functions' tables and a copy of
 * the stack's end. For td_perf_options.find_callers. */
#pragma once
#include "host/perf/perf.h"

unsigned td_callers_find(const struct td_perf_user *user, uint64_t *callers, unsigned room,
                         unsigned *replaced);
/* How many stacks have ended early, because more of the stack would have been needed; *of so many. Begins anew. */
uint64_t td_callers_take_cut(uint64_t *of);
