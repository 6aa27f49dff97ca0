/* Threads that the kernel knows by their ids, before it is known which processes they belong to. */
#pragma once
#include "host/agent/import/timeline.h"
#include "host/event/map.h"

struct td_late_thread {
    int64_t tid, pid;
    uint32_t owner; /* of td_timeline_later() */
    uint32_t name;  /* string; 0: not known */
    bool has_pid;
};

struct td_late_threads { /* all zero: none */
    struct td_late_thread *at;
    size_t count, room;
    struct td_map by_tid; /* places in `at` */
};
void td_late_threads_free(struct td_late_threads *threads);
/* The thread's place in `at`; UINT32_MAX: no memory. */
uint32_t td_late_threads_find(struct td_late_threads *threads, struct td_timeline *timeline, int64_t tid);
/* Decides which threads they are: those of the process with the id `pid`, or of no process. 0 or TD_E_NOMEM. */
int td_late_threads_settle(const struct td_late_threads *threads, struct td_timeline *timeline);
