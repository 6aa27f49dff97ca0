/* What threads keep for the handlers of fatal signals (crash.c): a signal stack each, and the record of which
 * thread crashed first. Thread-safe. Functions of the second group may be called in signal handlers. */
#pragma once
#include <stdint.h>

/* Sets whether threads get a signal stack. With one, the overflow of a thread's own stack can be reported. */
void td_crash_stacks(int wanted);
/* Makes the calling thread's signal stack, unless it has one or none is wanted; frees it. */
void td_crash_thread_begins(void);
void td_crash_thread_ends(void);

/* Registers the crash of a thread. Returns 0, or the id of the thread that crashed first, which may be the
 * same one. */
uint32_t td_crash_is_of(uint32_t thread);
void td_crash_is_told(void); /* the first crash has been reported */
/* Waits while another thread reports its crash. The program must not end before that. */
void td_crash_wait(void);
