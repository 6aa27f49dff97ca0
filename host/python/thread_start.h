/* Puts a function of its own in front of _thread.start_new_thread(), so that each new thread is profiled from
 * its first call on. */
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* 0, or -1 with a Python exception. A second call does nothing. */
int td_py_thread_start_install(void);
