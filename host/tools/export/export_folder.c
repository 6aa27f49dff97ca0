#include "host/tools/export/export_folder.h"
#include "host/file/out_claim.h"
#include "host/query/table/tables.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *export_open_file(const char *folder, const char *name, const char *ending, struct td_err *err)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s%s", folder, name, ending) < 0) {
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    FILE *file = fopen(path, "wx");
    if (!file)
        td_fail_errno(err, "cannot write '%s'", path);
    free(path);
    return file;
}

/* Without memory, of which there may be none left. */
static void remove_folder(const char *folder, const char *ending)
{
    char path[PATH_MAX + 100];
    for (size_t t = 0; td_query_tables[t]; t++) {
        snprintf(path, sizeof path, "%s/%s%s", folder, td_query_tables[t]->name, ending);
        unlink(path);
    }
    rmdir(folder);
}

static int fail_exists(const char *path, struct td_err *err)
{
    return td_fail(err, TD_E_EXISTS, "'%s' already exists and is no empty folder", path);
}

/* Fails unless there is nothing, or a folder without entries. */
static int check_free(const char *path, struct td_err *err)
{
    struct stat there;
    DIR *folder = opendir(path);
    const struct dirent *entry;
    bool empty = true;
    if (!folder && lstat(path, &there) == 0)
        return fail_exists(path, err);
    if (!folder)
        return errno == ENOENT ? 0 : td_fail_errno(err, "cannot write '%s'", path);
    while (empty && (entry = readdir(folder)))
        empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
    closedir(folder);
    return empty ? 0 : fail_exists(path, err);
}

int export_folder(const struct export_work *work, const char *ending,
                  int (*fill)(const struct export_work *work, const char *folder, struct td_err *err),
                  struct td_err *err)
{
    int rc = check_free(work->path, err);
    if (rc < 0)
        return rc;
    char *folder = td_out_claim_name(work->path);
    if (!folder)
        return td_fail_no_memory(err, NULL);
    rc = mkdir(folder, 0777) == 0 ? 0 : td_fail_errno(err, "cannot write '%s'", work->path);
    if (rc == 0) {
        rc = fill(work, folder, err);
        /* An empty folder of the name is replaced. */
        if (rc == 0 && rename(folder, work->path) != 0)
            rc = errno == ENOTEMPTY || errno == EEXIST ? fail_exists(work->path, err)
                                                       : td_fail_errno(err, "cannot write '%s'", work->path);
        if (rc)
            remove_folder(folder, ending);
    }
    free(folder);
    return rc;
}
