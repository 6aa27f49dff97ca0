/* Starts tendril-watch (host/client/watch), which samples programs without a client, and serves what it sees as a
 * client does. Not thread-safe.
 *
 * To lose nothing of a program that is started: td_child_hold(), td_watch_start() with its process, connect to the
 * watch's port, td_child_release(). */
#pragma once
#include "host/agent/child.h"

struct td_watch_options {
    int pid;          /* the process; 0: the whole machine */
    bool children;    /* and those that it starts */
    const char *name; /* of the session's program, or its path; NULL: that of the process */
    long hz;          /* samples a second of a processor's time; 0: the usual rate, or TRACY_SAMPLING_HZ */
};
struct td_watch {
    struct td_child child; /* which ends when the process has ended, the session, or the caller */
    int port;              /* on this machine */
};
/* Returns when the watch listens and collects. 0 or a negative enum td_e: the line says why there are no samples,
 * such as missing rights, and what to change. */
int td_watch_start(struct td_watch *watch, const struct td_watch_options *options, struct td_err *err);
/* Ends the watch; waits for at most `ms` for it to end by itself. */
void td_watch_stop(struct td_watch *watch, int ms);
