/* Call stacks as text. */
#ifndef TD_HOST_QUERY_CODE_STACK_TEXT_H
#define TD_HOST_QUERY_CODE_STACK_TEXT_H
#include "host/trace/trace.h"

/* The functions of a call stack, innermost first, with `separator` after each but the last; at most `most`
 * frames. Frames without a symbol are addresses. Returns `room`. */
const char *td_stack_text(const struct td_trace *trace, uint32_t stack, const char *separator, size_t most,
                          char *room, size_t bytes);
#endif
