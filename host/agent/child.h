/* Children: processes that the agent starts and outlives. Not thread-safe. */
#ifndef TD_HOST_AGENT_CHILD_H
#define TD_HOST_AGENT_CHILD_H
#include "host/base/err.h"

#include <stddef.h>
#include <sys/types.h>

struct td_child {
    pid_t pid;  /* 0: not started, or already collected */
    int status; /* of waitpid(), once ended */
    int ended;
};

/* Starts argv[0] (searched in PATH unless it has a slash). env: "NAME=VALUE" strings added to the
 * environment, NULL at the end, or NULL. own_group: a terminal's Ctrl-C does not reach it. TD_E_NOTFOUND: no
 * such program. */
int td_child_start(struct td_child *child, char *const argv[], const char *const *env, int own_group,
                   struct td_err *err);
/* 1: it runs, 0: it has ended (status is set). */
int td_child_running(struct td_child *child);
/* Asks with SIGTERM, waits up to ms milliseconds, then kills; collects it. */
void td_child_stop(struct td_child *child, int ms);
/* "exited with code 3", "was killed by signal 11 (Segmentation fault)"; 0 if it ended well. */
int td_child_failed(const struct td_child *child, char *text, size_t bytes);
/* Path of a program of this kit: beside the running executable, else its bare name. */
void td_child_find(const char *name, char *path, size_t bytes);
#endif
