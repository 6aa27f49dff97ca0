/* Switches the zones of Python's functions on and off. The caller holds the GIL. */
#pragma once
#include "host/python/threads.h"

#include <stdbool.h>

/* Installs the hook that notices profilers of the program. 0, or -1 with a Python exception. */
int td_py_profiling_init(void);
/* From now on, calls of the calling thread and of threads that start later are zones; with `lines`, Python's
 * lines instead of calls of functions that are written in C. Without effect in a thread that has a profiler of
 * the program. False: nothing was switched on. */
bool td_py_profiling_begin(bool lines);
/* Ends all zones that are open. Other threads end theirs at their next event. */
void td_py_profiling_end(void);
/* Around the function of a new thread. */
void td_py_profiling_thread_begins(void);
void td_py_profiling_thread_ends(void);
void td_py_profiling_forked(void);
