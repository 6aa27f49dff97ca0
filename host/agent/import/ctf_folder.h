/* Folders that are CTF traces, or that have some in them: each has a file `metadata`, which begins in one of two ways. */
#pragma once
#include "host/base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct td_ctf_folders { /* all zero: none */
    char **paths;
    size_t count, room;
    size_t visited; /* folders that were looked at */
};
void td_ctf_folders_free(struct td_ctf_folders *folders);
/* Adds the folder and those in it, in order of their names. 0 or TD_E_NOMEM. */
int td_ctf_folders_find(struct td_ctf_folders *folders, const char *path);
