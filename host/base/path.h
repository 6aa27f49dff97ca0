/* Paths of files and folders. Thread-safe. */
#pragma once
#include "host/base/err.h"

#include <string.h>

/* The last component: what follows the last slash. */
static inline const char *td_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Makes the folder, but not its parents, unless there is something of this name. 0, or TD_E_IO or
 * TD_E_NOMEM. */
int td_folder_make(const char *path, struct td_err *err);
/* Makes the folders that the path names before its last slash. 0, or TD_E_IO, TD_E_LIMIT or TD_E_NOMEM. */
int td_folders_make(const char *path, unsigned mode, struct td_err *err);
