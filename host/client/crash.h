/* Fatal signals. */
#ifndef TD_HOST_CLIENT_CRASH_H
#define TD_HOST_CLIENT_CRASH_H

void td_crash_install(void);
void td_crash_remove(void);
/* A stack of its own for the handlers, so that a stack that is full can be told of, too. For the calling
 * thread, if it has none. */
void td_crash_thread_begins(void);
void td_crash_thread_ends(void);
/* Returns when no other thread is just telling of its crash; the program must not end before. */
void td_crash_wait(void);
#endif
