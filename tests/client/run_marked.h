/* Runs tests/client/marked.c and collects what it sends. For tests. */
#pragma once
#include "host/base/clock.h"
#include "host/agent/client/client_source.h"
#include <sys/types.h>

int free_port(void);
/* A connection to a port of this machine, which a process may only now begin to listen on; fails the test after
 * `ms`. */
int dial_client(int port, int ms);
/* Starts the program with TRACY_PORT and further NAME=VALUE, up to NULL; *stdin_fd, if given, is its input's
 * end. */
pid_t start_marked(const char *mode, int port, int *stdin_fd, const char *const *environment);
/* The same with another program of the tests' folder. */
pid_t start_program(const char *program, const char *mode, int port, int *stdin_fd,
                    const char *const *environment);
/* start_marked() without the system calls that are named (denied.c). */
pid_t start_denied(const char *calls, const char *mode, int port, int *stdin_fd);
/* Its wait status; killed, and -1, when it does not end within the time. */
int wait_marked(pid_t pid, int ms);
/* Collects from the port into the hub until the session is over. */
int collect(struct td_hub *hub, int port, struct td_client_counts *counts, struct td_err *err);
/* The same; each time that something may have come, `look` is called with `self` and what has been counted.
 */
int collect_watched(struct td_hub *hub, int port, void (*look)(void *self, struct td_client_counts counts),
                    void *self, struct td_client_counts *counts, struct td_err *err);
/* All of it: starts, collects, waits. Returns pump's result; *status as of wait_marked. */
int run_marked(const char *mode, struct td_hub *hub, struct td_client_counts *counts, int *status,
               struct td_err *err);
