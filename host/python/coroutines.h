/* Zones of coroutines and generators, whose frames are suspended and resumed. */
#pragma once
#include "host/python/code_sites.h"
#include "host/python/threads.h"

/* A frame of a generator or coroutine begins or is resumed. */
void td_py_coroutine_enter(struct td_py_thread *thread, PyFrameObject *frame, PyCodeObject *code,
                           const struct td_py_code *facts);
/* Any frame ends or is suspended. `result`: NULL when it ends with an exception. */
void td_py_coroutine_leave(struct td_py_thread *thread, PyFrameObject *frame, PyObject *result);
/* Ends all zones of the thread, and leaves its fibers. */
void td_py_coroutines_end(struct td_py_thread *thread);
