/* Call stacks as text. */
#pragma once
#include "host/trace/trace.h"

/* The functions of a call stack, innermost first, with `separator` after each but the last; at most `most`
 * frames. Frames without a symbol are addresses. Returns `room`. */
const char *td_stack_text(const struct td_trace *trace, uint32_t stack, const char *separator, size_t most,
                          char *room, size_t bytes);
