/* Whether markers can take call stacks. */
#ifndef TENDRIL_TRACY_CALLSTACK_H
#define TENDRIL_TRACY_CALLSTACK_H
#ifndef TRACY_NO_CALLSTACK
#define TRACY_HAS_CALLSTACK 3
#endif
#endif
