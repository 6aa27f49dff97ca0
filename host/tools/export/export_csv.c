/* A folder with a file of comma separated values for each table. It gets its name when it is complete. */
#include "host/base/path.h"
#include "host/base/stream.h"
#include "host/file/out_claim.h"
#include "host/tools/export/export_tables.h"
#include "host/tools/query/print.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct csv_folder {
    const char *path; /* of the unfinished folder */
    FILE *file;
    struct query_print *print;
};

static int open_table(void *self, const struct export_table *table, struct td_sql_sink *sink,
                      struct td_err *err)
{
    struct csv_folder *folder = self;
    char *path = NULL;
    if (asprintf(&path, "%s/%s.csv", folder->path, table->name) < 0)
        return td_fail_no_memory(err, NULL);
    folder->file = fopen(path, "wx");
    const int rc = folder->file ? 0 : td_fail_errno(err, "cannot write '%s'", path);
    free(path);
    folder->print = rc ? NULL : query_print_create(folder->file, QUERY_CSV, NULL, NULL);
    if (rc == 0 && !folder->print)
        return td_fail_no_memory(err, NULL);
    if (rc == 0)
        *sink = query_print_sink(folder->print);
    return rc;
}

static int close_table(void *self, int rc, struct td_err *err)
{
    struct csv_folder *folder = self;
    if (folder->file && !td_stream_close(folder->file) && rc == 0)
        rc = td_fail_errno(err, "cannot write '%s'", folder->path);
    folder->file = NULL;
    query_print_destroy(folder->print);
    folder->print = NULL;
    return rc;
}

static int remove_file(void *self, const char *path)
{
    unlink(path);
    return 0;
}

static int fail_exists(const char *path, struct td_err *err)
{
    return td_fail(err, TD_E_EXISTS, "'%s' already exists and is no empty folder", path);
}

/* Whether there is nothing, or a folder without entries. */
static bool is_free(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    bool empty = true;
    if (!folder)
        return errno == ENOENT;
    while (empty && (entry = readdir(folder)))
        empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
    closedir(folder);
    return empty;
}

int export_csv(const struct export_work *work, struct td_err *err)
{
    if (!is_free(work->path))
        return fail_exists(work->path, err);
    struct csv_folder folder = {.path = td_out_claim_name(work->path)};
    if (!folder.path)
        return td_fail_no_memory(err, NULL);
    int rc = mkdir(folder.path, 0777) == 0 ? 0 : td_fail_errno(err, "cannot write '%s'", work->path);
    if (rc == 0) {
        const struct export_tables to = {open_table, close_table, &folder};
        rc = export_each_table(work, &to, err);
        /* An empty folder of the name is replaced. */
        if (rc == 0 && rename(folder.path, work->path) != 0)
            rc = errno == ENOTEMPTY || errno == EEXIST ? fail_exists(work->path, err)
                                                       : td_fail_errno(err, "cannot write '%s'", work->path);
        if (rc) {
            td_files_below(folder.path, ".csv", remove_file, NULL);
            rmdir(folder.path);
        }
    }
    free((void *)(uintptr_t)folder.path);
    return rc;
}
