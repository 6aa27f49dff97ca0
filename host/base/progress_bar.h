/* A progress bar on the terminal for work that takes longer than a second: name, percent, bar, speed, time
 * left. Nothing is printed if standard error is no terminal.
 *
 * Between td_progress_bar_begin() and td_progress_bar_end(), the first Ctrl-C (SIGINT), SIGTERM or SIGHUP
 * stops the work through td_progress, so that it can remove its temporary files. A second signal kills the
 * process. A process has one bar at a time, which begins and ends in the same thread. */
#pragma once
#include "host/base/progress.h"

#include <signal.h>

struct td_progress_bar {
    const char *name; /* the work: "reading trace.tracy"; the caller's */
    int bytes;        /* 1: progress is in bytes, and a speed is shown */
    int visible, on_terminal;
    int64_t begin_ns, drawn_ns;
    int stops; /* signals stop the work */
    struct sigaction old[3];
};

/* Returns the callback for the work. It points to *bar, which must not move until td_progress_bar_end(). */
struct td_progress td_progress_bar_begin(struct td_progress_bar *bar, const char *name, int bytes);
/* The same without handling of signals. */
struct td_progress td_progress_bar_show(struct td_progress_bar *bar, const char *name, int bytes);
/* Clears the line and restores the handlers of signals. */
void td_progress_bar_end(struct td_progress_bar *bar);
