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

/* What it means that a folder cannot be read for this errno: 0 if it is not there or not for this user, and so has
 * nothing; else TD_E_NOMEM or TD_E_IO. */
int td_folder_error(int error);
/* Calls `visit` with each path FOLDER/NAME, then FOLDER/NAME/NAME, that has this ending, in the
 * order of names, until it returns other than 0. Names that begin with a dot are left out. A folder that is not
 * there, or may not be read, has no files. 0, what `visit` returned, TD_E_NOMEM or TD_E_IO. */
int td_files_below(const char *folder, const char *ending, int (*visit)(void *self, const char *path),
                   void *self);
/* Fails with what td_files_below() returned: "cannot look for WHAT: errno", or that there is no memory. */
int td_fail_to_look(int rc, const char *what, struct td_err *err);
/* Makes the folder, but not its parents, unless there is something of this name. 0, or TD_E_IO or
 * TD_E_NOMEM. */
int td_folder_make(const char *path, struct td_err *err);
/* Makes the folders that the path names before its last slash. 0, or TD_E_IO, TD_E_LIMIT or TD_E_NOMEM. */
int td_folders_make(const char *path, unsigned mode, struct td_err *err);
