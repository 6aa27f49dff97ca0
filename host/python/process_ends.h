/* Puts functions of its own in front of os._exit(), os.execv() and os.execve(), which end a program without
 * its exit handlers: they first send what is queued. */
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* 0, or -1 with a Python exception. A second call does nothing. */
int td_py_process_ends_install(void);
/* Ends the session, after waiting for a recorder that has not connected yet as TENDRIL_WAIT_CONNECT_MS says. */
void td_py_process_end(void);
/* How long that is. */
int td_py_connect_wait_ms(void);
