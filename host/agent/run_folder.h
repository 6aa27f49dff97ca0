/* Run folder: where a recording keeps the simulated board's file, its socket and copies of the kernels' ELFs.
 *
 * Folders of recorders that were killed are removed by the next one. Not thread-safe. */
#ifndef TD_HOST_AGENT_RUN_FOLDER_H
#define TD_HOST_AGENT_RUN_FOLDER_H
#include "host/base/err.h"

#include <stddef.h>
#include <stdint.h>

/* Makes a new one, in memory if `wanted` bytes fit there; puts its path into `path`. */
int td_run_folder_make(char *path, size_t bytes, uint64_t wanted, struct td_err *err);
/* Removes it with its files; an empty path is allowed. */
void td_run_folder_remove(const char *path);
#endif
