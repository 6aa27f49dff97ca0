/* Handlers of fatal signals, which report a crash to the session before the program ends. start.c installs
 * and removes them, one thread at a time. */
#pragma once
#include "host/client/crash/report.h"

/* Called in the signal handler: sends the report and waits at most `wait_ms` until it is sent. */
typedef void td_crash_sender(const struct td_crash_report *report, int wait_ms);

/* Installs nothing for signals that are ignored, nor when settings say so. */
void td_crash_install(td_crash_sender *send);
void td_crash_remove(void);
