/* Finds the program that a recording runs, and explains why one cannot be started. Not thread-safe. */
#pragma once
#include "host/base/err.h"

struct td_program {
    char path[4096];
    int is_binary; /* 0: a text, which a shell can run */
};

/* Finds a program as the shell does: in PATH unless its name has a slash. 0 or a negative enum td_e. Refuses
 * folders, files that are not executable and kernels for a board's cores; other ELFs may still be refused by
 * exec. */
int td_program_find(struct td_program *p, const char *name, struct td_err *err);
/* Fills *err for a program that exec refused with the errno `why`; returns the error's code. */
int td_program_refused(const struct td_program *p, const char *name, int why, struct td_err *err);
