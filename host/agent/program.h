/* The program that a recording runs: where it is, and in words why it cannot be started. Not thread-safe. */
#ifndef TD_HOST_AGENT_PROGRAM_H
#define TD_HOST_AGENT_PROGRAM_H
#include "host/base/err.h"

struct td_program {
    char path[4096];
    int is_binary; /* no text that a shell could run */
};

/* Finds a program as the shell does: in PATH unless its name has a slash. Negative: the line says what is
 * wrong with it and what to do. Which ELFs this machine runs is left to exec;
 * only kernels of a board's cores are refused here. */
int td_program_find(struct td_program *p, const char *name, struct td_err *err);
/* The line for a program that was found, but that exec refused with this errno; its code. */
int td_program_refused(const struct td_program *p, const char *name, int why, struct td_err *err);
#endif
