#include "host/tools/files/cut_files.h"
#include "host/base/path.h"
#include "host/base/plain_text.h"
#include "host/file/out_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define LAST_NUMBER 9999u

/* "trace.tracy" and 12: "trace-0012.tracy". */
static int make_name(const struct cut_files *files, unsigned number, char *path, size_t bytes)
{
    const char *base = td_path_name(files->path), *dot = strrchr(base, '.');
    size_t stem = dot && dot > base ? (size_t)(dot - files->path) : strlen(files->path);
    int n = snprintf(path, bytes, "%.*s-%04u%s", (int)stem, files->path, number, files->path + stem);
    return n > 0 && (size_t)n < bytes ? 0 : TD_E_LIMIT;
}

/* Opens the file with the next number; without -f, the next one that does not exist. */
static struct td_out_file *open_next(struct cut_files *files, char *path, size_t bytes, struct td_err *err)
{
    struct td_out_file *file = NULL;
    struct td_err own = {0};
    while (!file && files->number < LAST_NUMBER) {
        if (make_name(files, ++files->number, path, bytes) < 0) {
            td_fail(err, TD_E_LIMIT, "the name of the file is too long");
            return NULL;
        }
        own = (struct td_err){0};
        file = td_out_file_open(path, files->how, &own);
        if (!file && own.code != TD_E_EXISTS)
            break;
    }
    if (!file)
        td_fail(err, own.code ? own.code : TD_E_LIMIT, "%s",
                own.code ? own.text : "there are 9999 files of cuts already");
    return file;
}

static int prepare_cut(struct cut_files *files, struct td_trace *cut, struct td_file_options *options,
                       struct td_err *err)
{
    int rc = files->prepare ? files->prepare(files->self, cut, options, err) : 0;
    return rc < 0 || td_trace_is_finished(cut) ? rc : td_trace_finish(cut, err);
}

static int save_cut(void *self, struct td_trace *cut, const char *why, struct td_err *err)
{
    struct cut_files *files = self;
    struct td_file_options options = {0};
    char path[4200];
    int rc = prepare_cut(files, cut, &options, err);
    if (rc < 0)
        return rc;
    options.file = open_next(files, path, sizeof path, err);
    if (!options.file)
        return TD_E_IO;
    rc = td_file_write(cut, path, &options, err);
    td_out_file_close(options.file);
    if (rc == 0 && !files->quiet)
        fprintf(stderr, "%s: %s: %s\n", files->command, TD_PLAIN(path), TD_PLAIN(why));
    return rc;
}

/* A file without a name next to FILE, else in memory. */
static int open_unnamed(const struct cut_files *files)
{
    char folder[4200];
    const char *slash = strrchr(files->path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - files->path + 1) : 1,
             slash ? files->path : ".");
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return fd < 0 ? memfd_create("tendril", MFD_CLOEXEC) : fd;
}

static int64_t measure_sample(void *self, struct td_trace *sample, struct td_err *err)
{
    struct cut_files *files = self;
    struct td_file_options options = {0};
    struct stat st;
    char path[40];
    int fd = open_unnamed(files);
    int rc = fd < 0 ? td_fail_errno(err, "no file to measure the size of the trace")
                    : prepare_cut(files, sample, &options, err);
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    rc = rc ? rc : td_file_write(sample, path, &options, err);
    if (rc == 0 && fstat(fd, &st) < 0)
        rc = td_fail_errno(err, "cannot measure the size of the trace");
    if (fd >= 0)
        close(fd);
    return rc < 0 ? rc : (int64_t)st.st_size;
}

int cut_files_check(const struct cut_files *files, struct td_err *err)
{
    char path[4200];
    if (!strcmp(files->path, "-") || make_name(files, 1, path, sizeof path) < 0)
        return td_fail(err, TD_E_USAGE, "--rotate needs -o FILE, of which it makes FILE-0001 ...");
    struct td_out_file *file = td_out_file_open(path, files->how, err);
    td_out_file_close(file);
    return file ? 0 : err->code;
}

struct td_cut_files cut_files_callbacks(struct cut_files *files)
{
    return (struct td_cut_files){.self = files, .save = save_cut, .measure = measure_sample};
}
