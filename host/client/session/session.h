/* The session's thread, which drains the queues and serves peers one after the other, or saves to a file.
 * start.c starts and ends it, one call at a time. */
#pragma once
#include "host/client/crash/report.h"

#include <stddef.h>
#include <stdint.h>

int td_session_start(void); /* 0, or not: no thread could be made */
int td_session_port(void);  /* any thread; 0: none */
/* Drains and ends the session, in bounded time. Returns when the thread has ended. `last`: the process
 * ends, so records that no peer got are not freed. */
void td_session_end(int last);
/* In a signal handler: ends the session with a crash and waits at most `wait_ms` for it. */
void td_session_crashed(const struct td_crash_report *crash, int wait_ms);
void td_session_forked(void); /* in the child of fork(): closes the parent's descriptors */
