/* Walks call stacks. Thread-safe, usable in signal handlers; nothing allocates. */
#pragma once
#include "host/client/queue/records.h"

#include <stddef.h>
#include <stdint.h>

/* Stores the addresses of the call stack, innermost first, from the function that has the marker on.
 * Returns their number, at most `most` and TD_REC_STACK_MAX. `caller`: TD_CALLER of the function that the
 * program calls; that function is TD_MARKER. */
uint32_t td_stack_walk(uint64_t *stack, int most, const void *caller);
/* The same from the address `first` on, which is not a return address. 0: the walk does not meet it. */
uint32_t td_stack_walk_from(uint64_t *stack, int most, uint64_t first);
#define TD_CALLER __builtin_extract_return_addr(__builtin_return_address(0))
#define TD_MARKER __attribute__((noinline))
