/* The report of a crash, from the signal handler to the session. */
#pragma once
#include "host/client/queue/records.h"

#include <stddef.h>
#include <stdint.h>

struct td_crash_report {
    const char *text;        /* static */
    int64_t time;            /* ticks */
    uint32_t thread, frames; /* frames: addresses in `stack` */
    uint64_t stack[TD_REC_STACK_MAX];
};
