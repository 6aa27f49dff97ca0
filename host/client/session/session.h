/* The session: the thread of the client that serves one peer after the other. */
#ifndef TD_HOST_CLIENT_SESSION_SESSION_H
#define TD_HOST_CLIENT_SESSION_SESSION_H
#include "host/client/crash/report.h"

#include <stddef.h>
#include <stdint.h>

int td_session_start(void); /* 0, or not: no thread could be made */
int td_session_port(void);
/* Drains and ends the session; bounded in time; returns when the thread has ended. `last`: the process ends,
 * too, and with it what nobody wanted. */
void td_session_end(int last);
void td_session_crashed(const struct td_crash_report *crash, int wait_ms);
void td_session_forked(void); /* in the child */
#endif
