/* What the client reports of a crash. */
#ifndef TD_HOST_CLIENT_CRASH_REPORT_H
#define TD_HOST_CLIENT_CRASH_REPORT_H
#include "host/client/queue/records.h"

#include <stddef.h>
#include <stdint.h>

/* For a signal handler: what it has to say, then the end; waits so long for it. */
struct td_crash_report {
    const char *text; /* lives as long as the program */
    int64_t time;
    uint32_t thread, frames;
    uint64_t stack[TD_REC_STACK_MAX];
};
#endif
