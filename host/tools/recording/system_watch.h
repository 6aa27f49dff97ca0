/* `tendril capture --system`: samples programs without a client, by tendril-watch (host/agent/watch.h). */
#pragma once
#include "host/agent/watch.h"
#include "host/base/options.h"

#include <limits.h>

struct system_watch {
    int on;
    long pid, hz;
    char **program; /* NULL: none is started */
    struct td_child child;
    struct td_watch watch;
};

/* Entries for the command's table of options; `s` is its struct system_watch. */
/* clang-format off */
#define SAMPLE_HZ_OPTION(hz)                                                                                 \
    {0, "sample-hz", TD_OPT_INT, &(hz), "HZ", "samples a second of a processor's time (10000)", NULL, 1, 1000000}
#define SYSTEM_WATCH_OPTIONS(s)                                                                              \
    {0, "system", TD_OPT_FLAG, &(s).on, NULL,                                                                \
     "sample programs without a client: PROGRAM, a process, or the whole machine", NULL, 0, 0},              \
    {0, "pid", TD_OPT_INT, &(s).pid, "PID", "with --system: this process and those that it starts", NULL, 1, \
     INT_MAX},                                                                                               \
    SAMPLE_HZ_OPTION((s).hz)
/* clang-format on */

/* argv: PROGRAM and its arguments. 0 or TD_E_USAGE. */
int system_watch_check(struct system_watch *system, char **argv, size_t count, struct td_err *err);
/* Starts PROGRAM, which waits, and the watch; sets the port to connect to. Does nothing without --system. */
int system_watch_begin(struct system_watch *system, long *port, struct td_err *err);
/* For the loop of the capture: lets PROGRAM begin when the session streams. */
int system_watch_step(struct system_watch *system, bool streams, struct td_err *err);
/* After the session: waits for PROGRAM, which Ctrl-C has ended, or ends. Returns its exit code; 0: there is none. */
int system_watch_end(struct system_watch *system, const volatile int *interrupts);
