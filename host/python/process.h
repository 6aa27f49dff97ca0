/* The process: the start and end of the client, and the children of fork(). */
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>

/* The session will end with the interpreter, even if the client starts later. 0, or -1 with a Python
 * exception. */
int td_py_process_init(void);
/* Starts the client; where a recorder has started this process, waits until the recorder is connected. The
 * name is what viewers show; NULL: that of the executable. */
void td_py_process_start(const char *name);
/* From now on the process sends what is queued however it ends (process_ends.h). Children of fork() get a
 * session of their own; without `children` they are not profiled. 0, or -1 with a Python exception. */
int td_py_process_install(bool children);
/* Ends the session, and begins one that is written to a file (a saved session). False: the file cannot be
 * written, as a line on standard error says. */
bool td_py_process_begin_file(const char *path);
/* Ends that session. Nothing is recorded until the next one. */
void td_py_process_end_file(void);
