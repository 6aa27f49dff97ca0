#include "host/base/path.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
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

int td_folder_error(int error)
{
    if (error == ENOENT || error == ENOTDIR || error == EACCES || error == EPERM)
        return 0;
    return error == ENOMEM ? TD_E_NOMEM : TD_E_IO;
}

static int is_no_dot_name(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool has_ending(const char *path, const char *ending)
{
    const size_t bytes = strlen(path), end = strlen(ending);
    return bytes >= end && strcmp(path + bytes - end, ending) == 0;
}

/* Not glob(), whose lists are damaged after it had no memory. */
static int files_of(const char *folder, int levels, const char *ending,
                    int (*visit)(void *self, const char *path), void *self)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, is_no_dot_name, alphasort);
    if (count < 0)
        return td_folder_error(errno);
    int rc = 0;
    for (int level = 0; level < levels; level++)
        for (int i = 0; i < count && rc == 0; i++) {
            char path[PATH_MAX];
            const char *name = entries[i]->d_name;
            const bool fits = snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path;
            if (fits && level)
                rc = files_of(path, 1, ending, visit, self);
            else if (fits && has_ending(path, ending))
                rc = visit(self, path);
        }
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return rc;
}

int td_files_below(const char *folder, const char *ending, int (*visit)(void *self, const char *path),
                   void *self)
{
    return files_of(folder, 2, ending, visit, self);
}

int td_fail_to_look(int rc, const char *what, struct td_err *err)
{
    return rc == TD_E_NOMEM ? td_fail_no_memory(err, NULL) : td_fail_errno(err, "cannot look for %s", what);
}
