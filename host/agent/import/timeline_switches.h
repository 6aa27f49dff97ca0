/* Context switches in a timeline (timeline.h). */
#pragma once
#include "host/agent/import/timeline.h"

#define TD_TIMELINE_NO_THREAD UINT32_MAX

/* States of a thread that stops running, by the letters that ps prints. */
struct td_timeline_switched {
    int64_t time_ns;
    uint32_t cpu;
    uint32_t out, in; /* threads; TD_TIMELINE_NO_THREAD: the idle one */
    char state;       /* why `out` stopped: R, S, D, T, t, X, Z, P, I; else not known */
};
int td_timeline_switch(struct td_timeline *timeline, const struct td_timeline_switched *change);
/* The state that Linux gives in sched_switch, as a letter. */
char td_timeline_linux_state(int64_t prev_state);
/* The thread may run from now on. */
int td_timeline_wakeup(struct td_timeline *timeline, int64_t time_ns, uint32_t cpu, uint32_t thread);
