/* Threads that crash: who does, and a stack for the handlers. */
#ifndef TD_HOST_CLIENT_PLATFORM_CRASH_THREAD_H
#define TD_HOST_CLIENT_PLATFORM_CRASH_THREAD_H
#include <stdint.h>

/* Whether threads get a stack of their own for the handlers, so that a stack that is full can
 * be told of, too. */
void td_crash_stacks(int wanted);
/* For the calling thread, if it has none. */
void td_crash_thread_begins(void);
void td_crash_thread_ends(void);
/* The thread crashes: 0, or the thread that did first (which may be this one). */
uint32_t td_crash_is_of(uint32_t thread);
void td_crash_is_told(void);
/* Returns when no other thread is just telling of its crash; the program must not end before. */
void td_crash_wait(void);
#endif
