/* A line on the terminal for work that takes longer than a second: name, percent, bar, speed, time left.
 * Nothing is printed when standard error is no terminal. While a bar is there, Ctrl-C (SIGINT), SIGTERM
 * and SIGHUP stop the work through td_progress instead of killing the process, so that nothing is left
 * behind; the second signal kills. One bar at a time in a process; begin and end in the same thread. */
#ifndef TD_HOST_BASE_PROGRESS_BAR_H
#define TD_HOST_BASE_PROGRESS_BAR_H
#include "host/base/progress.h"

#include <signal.h>

struct td_progress_bar {
    const char *name; /* what is being done: "reading trace.tracy"; the caller's */
    int bytes;        /* 1: steps count bytes, and a speed is shown */
    int visible, on_terminal;
    int64_t begin_ns, drawn_ns;
    int stops; /* signals stop the work */
    struct sigaction old[3];
};

/* What to hand to the work; *bar stays where it is until td_progress_bar_end(), which must follow. */
struct td_progress td_progress_bar_begin(struct td_progress_bar *bar, const char *name, int bytes);
/* The same for work that signals do not stop: they stay as they are. */
struct td_progress td_progress_bar_show(struct td_progress_bar *bar, const char *name, int bytes);
/* Clears the line. */
void td_progress_bar_end(struct td_progress_bar *bar);
#endif
