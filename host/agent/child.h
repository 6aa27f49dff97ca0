/* Child processes, which the agent starts and ends. Not thread-safe. */
#pragma once
#include "host/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct td_child {
    pid_t pid;  /* 0: not started, or waited for */
    int status; /* from waitpid(), valid if `ended` */
    int ended;
    bool held;        /* td_child_hold() was called, and not yet td_child_release() */
    int gate, report; /* while it is held */
};

/* Starts argv[0], which is searched in PATH unless it has a slash. env: NULL, or "NAME=VALUE" strings to add
 * to the environment, NULL at the end. own_group: 1: a terminal's Ctrl-C does not reach the child. 0 or a
 * negative enum td_e; TD_E_NOTFOUND: no such program. */
int td_child_start(struct td_child *child, char *const argv[], const char *const *env, int own_group,
                   struct td_err *err);
/* The same, but the process, whose number is known, waits before it becomes the program. */
int td_child_hold(struct td_child *child, char *const argv[], const char *const *env, int own_group,
                  struct td_err *err);
/* Lets the program begin. 0 or a negative enum td_e: it could not begin, and the process has ended. */
int td_child_release(struct td_child *child, const char *name, struct td_err *err);
/* False: the child has ended, and `status` is set. */
bool td_child_is_running(struct td_child *child);
/* Sends SIGTERM, waits for at most `ms` milliseconds, then kills the child; sets `status`. */
void td_child_stop(struct td_child *child, int ms);
/* True: the child has ended with an error; `text` says how: "exited with code 3", "was killed by signal 11
 * (Segmentation fault)". */
bool td_child_has_failed(const struct td_child *child, char *text, size_t bytes);
/* Replaces this process by a program of this kit; `what` is its name for an error. Returns only if it cannot: a negative
 * enum td_e; TD_E_NOTFOUND: it is not installed. */
int td_child_become(const char *what, const char *name, char *const argv[], struct td_err *err);
/* The path of a program of this kit: in the folder of the running executable, else its bare name. */
void td_child_find(const char *name, char *path, size_t bytes);
