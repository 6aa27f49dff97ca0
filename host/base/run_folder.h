/* Run folder: a private folder with an unpredictable name for files that a process needs while it runs: a
 * simulated board's file, sockets, copies of ELFs. In memory where they fit, else in $TMPDIR or /tmp.
 *
 * The process holds a lock on a file in the folder. The kernel drops the lock when the process ends,
 * killed or not, and the lock works across PID namespaces. So any program of Tendril can remove the
 * folders of processes that were killed. Not thread-safe. */
#pragma once
#include "host/base/err.h"

#include <stdint.h>

struct td_run_folder {
    char path[256];         /* empty: there is no folder */
    int base, folder, lock; /* descriptors: where it is, itself, the locked file in it */
};

/* Makes a folder that only this user can enter, in memory if `wanted` bytes fit there. */
int td_run_folder_make(struct td_run_folder *f, uint64_t wanted, struct td_err *err);
/* Removes it with its files. A struct of zeros is allowed. */
void td_run_folder_remove(struct td_run_folder *f);
/* Removes the folders of this user's processes that ended without doing so. Reads the names in /dev/shm, /tmp
 * and $TMPDIR and touches nothing but folders that td_run_folder_make() made. */
void td_run_folder_sweep(void);
