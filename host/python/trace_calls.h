/* What the interpreter calls at each call and return, or at each line. Both functions have the form that
 * PyEval_SetProfile() and PyEval_SetTrace() want; `self` is not used. */
#pragma once
#include "host/python/threads.h"

#include <stdbool.h>

/* False: a thread whose function is still installed ends its zones and uninstalls it at its next event. */
extern bool td_py_is_on;

int td_py_on_call(PyObject *self, PyFrameObject *frame, int what, PyObject *arg);
int td_py_on_line(PyObject *self, PyFrameObject *frame, int what, PyObject *arg);
/* Ends all zones of the thread, leaves its fibers, and removes the function. */
void td_py_trace_end(struct td_py_thread *thread);
