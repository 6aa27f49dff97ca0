/* Handlers of fatal signals. */
#ifndef TD_HOST_CLIENT_CRASH_CRASH_H
#define TD_HOST_CLIENT_CRASH_CRASH_H
#include "host/client/crash/report.h"

/* Sends a report from a signal handler and waits at most `wait_ms` for it to have gone out. */
typedef void td_crash_sender(const struct td_crash_report *report, int wait_ms);

void td_crash_install(td_crash_sender *send);
void td_crash_remove(void);
#endif
