#include "host/base/path.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

static int make(const char *path, unsigned mode, struct td_err *err)
{
    return mkdir(path, mode) == 0 || errno == EEXIST ? 0
                                                     : td_fail_errno(err, "cannot make the folder %s", path);
}

int td_folder_make(const char *path, struct td_err *err)
{
    return make(path, 0777, err);
}

int td_folders_make(const char *path, unsigned mode, struct td_err *err)
{
    char part[PATH_MAX];
    int rc = 0;
    if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part)
        return td_fail(err, TD_E_LIMIT, "the path of the folder is too long: %.60s...", path);
    for (char *slash = part; rc == 0 && *slash && (slash = strchr(slash + 1, '/'));) {
        *slash = 0;
        rc = make(part, mode, err);
        *slash = '/';
    }
    return rc;
}
