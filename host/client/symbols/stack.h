/* stack.c: the call stack from the function on that has the marker, innermost first, at most `most` addresses
 * (cut at TD_REC_STACK_MAX); returns how many. `caller`: TD_CALLER of the function that the program calls,
 * which is TD_MARKER. Nothing allocates. */
#ifndef TD_HOST_CLIENT_SYMBOLS_STACK_H
#define TD_HOST_CLIENT_SYMBOLS_STACK_H
#include "host/client/queue/records.h"

#include <stddef.h>
#include <stdint.h>

uint32_t td_stack_walk(uint64_t *stack, int most, const void *caller);
/* The same from this very address on, which is no return address; 0: it is not met. */
uint32_t td_stack_walk_from(uint64_t *stack, int most, uint64_t first);
#define TD_CALLER __builtin_extract_return_addr(__builtin_return_address(0))
#define TD_MARKER __attribute__((noinline))
#endif
