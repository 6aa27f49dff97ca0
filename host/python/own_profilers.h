/* Puts a function of its own in front of sys.setprofile(), so that a profiler of the program sees the events
 * that it sees without this extension. */
#pragma once
#include "host/python/threads.h"

/* 0, or -1 with a Python exception. A second call does nothing. */
int td_py_own_profilers_install(void);
/* At the begin of a call of a function that is written in C. */
void td_py_own_profilers_call(struct td_py_thread *thread, PyObject *function);
/* At its end, if it is that of sys.setprofile(): installs the program's profiler. */
void td_py_own_profilers_return(struct td_py_thread *thread);
