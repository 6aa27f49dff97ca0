/* Call stacks that were taken when a thread stopped to run: wait stacks. */
#pragma once
#include "host/trace/trace.h"

/* The row of SWITCH_SAMPLE of the track that was taken from end_ns, when the thread stopped, until next_ns, when it
 * ran again; UINT64_MAX: none. */
uint64_t td_switch_sample_of(const struct td_trace *trace, uint32_t track, int64_t end_ns, int64_t next_ns);
uint32_t td_switch_sample_stack(const struct td_trace *trace, uint32_t track, uint64_t row);
