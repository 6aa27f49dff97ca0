#include "host/file/shards.h"
#include "host/file/out_file.h"
#include "host/trace/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD        "tendril-shards 1\n"
#define NAME_BYTES  256u
#define INDEX_BYTES (TD_SHARDS_MAX * NAME_BYTES)
#define SHARD_PART  3 /* of the memory limit: for the shard that is read */

bool td_shards_is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* ---- the index ---- */

static int take_name(const char *line, size_t bytes, char *name, struct td_err *err)
{
    if (!bytes || bytes >= NAME_BYTES || line[0] == '.' || memchr(line, '/', bytes) || memchr(line, 0, bytes))
        return td_fail(err, TD_E_FORMAT, "the index of shards has a line that is not the name of a file");
    memcpy(name, line, bytes);
    name[bytes] = 0;
    return 0;
}

int td_shards_parse(const char *text, size_t bytes,
                    int (*each)(void *self, const char *name, struct td_err *err), void *self,
                    struct td_err *err)
{
    const size_t head = sizeof HEAD - 1;
    char name[NAME_BYTES];
    unsigned count = 0;
    if (bytes < head || memcmp(text, HEAD, head))
        return td_fail(err, TD_E_FORMAT, "the index of shards does not begin with '%.16s'", HEAD);
    for (size_t at = head; at < bytes; count++) {
        const char *end = memchr(text + at, '\n', bytes - at);
        if (!end || count == TD_SHARDS_MAX)
            return td_fail(err, TD_E_FORMAT, "the index of shards is cut off, or too long");
        size_t line = (size_t)(end - text) - at;
        int rc = take_name(text + at, line, name, err);
        rc = rc < 0 ? rc : each(self, name, err);
        if (rc < 0)
            return rc;
        at += line + 1;
    }
    return count ? 0 : td_fail(err, TD_E_FORMAT, "the index of shards names no file");
}

static int index_path(const char *folder, char *path, size_t bytes, struct td_err *err)
{
    int n = snprintf(path, bytes, "%s/" TD_SHARDS_INDEX, folder);
    return n > 0 && (size_t)n < bytes ? 0 : td_fail(err, TD_E_LIMIT, "the path of %s is too long", folder);
}

/* The whole index; the caller frees. NULL: an error. */
static char *read_index(const char *folder, size_t *bytes, struct td_err *err)
{
    char path[4200], *text = NULL;
    struct stat st;
    if (index_path(folder, path, sizeof path, err) < 0)
        return NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT)
        td_fail(err, TD_E_NOTFOUND, "%s is a folder, and not one of shards: it has no " TD_SHARDS_INDEX,
                folder);
    else if (fd < 0 || fstat(fd, &st) < 0)
        td_fail_errno(err, "cannot read %s", path);
    else if (!S_ISREG(st.st_mode) || st.st_size > (off_t)INDEX_BYTES)
        td_fail(err, TD_E_FORMAT, "%s is not an index of shards", path);
    else if (!(text = malloc((size_t)st.st_size + 1)))
        td_fail_no_memory(err, NULL);
    ssize_t n = text ? pread(fd, text, (size_t)st.st_size, 0) : 0;
    if (n < 0) {
        td_fail_errno(err, "cannot read %s", path);
        free(text);
        text = NULL;
    }
    if (fd >= 0)
        close(fd);
    *bytes = n > 0 ? (size_t)n : 0;
    return text;
}

int td_shards_write_index(const char *folder, unsigned count, struct td_err *err)
{
    char path[4200], temporary[4300];
    if (index_path(folder, path, sizeof path, err) < 0)
        return err->code;
    snprintf(temporary, sizeof temporary, "%s.part", path);
    FILE *file = fopen(temporary, "we");
    if (!file)
        return td_fail_errno(err, "cannot write %s", temporary);
    fputs(HEAD, file);
    for (unsigned i = 0; i < count; i++)
        fprintf(file, TD_SHARD_NAME "\n", i);
    bool bad = fflush(file) != 0 || fsync(fileno(file)) < 0;
    bad |= fclose(file) != 0;
    if (!bad && rename(temporary, path) == 0)
        return 0;
    td_fail_errno(err, "cannot write %s", path);
    unlink(temporary);
    return err->code;
}

int td_shards_remove_index(const char *folder, struct td_err *err)
{
    char path[4200];
    if (index_path(folder, path, sizeof path, err) < 0)
        return err->code;
    return unlink(path) < 0 && errno != ENOENT ? td_fail_errno(err, "cannot replace %s", path) : 0;
}

/* ---- reading ---- */

struct shards {
    const char *folder;
    struct td_file_read_options *options;
    struct td_copier *copier;
};

static int add_shard(void *self, const char *name, struct td_err *err)
{
    struct shards *s = self;
    struct td_file_read_options options = {.memory_bytes = s->options->memory_bytes / SHARD_PART,
                                           .threads = s->options->threads};
    struct td_trace *trace;
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", s->folder, name);
    int rc = td_file_read_with(path, &options, &trace, err);
    if (rc < 0)
        return rc;
    s->options->version = options.version;
    rc = td_copier_add(s->copier, trace,
                       &(struct td_copy_options){.label = "", .threads = (unsigned)options.threads}, err);
    td_trace_destroy(trace);
    return rc;
}

int td_shards_read(const char *path, struct td_file_read_options *options, struct td_trace **trace,
                   struct td_err *err)
{
    struct td_file_read_options defaults = {0};
    struct shards shards = {.folder = path, .options = options ? options : &defaults};
    size_t bytes;
    char *text = read_index(path, &bytes, err);
    uint64_t memory = shards.options->memory_bytes;
    *trace = NULL;
    if (!text)
        return err ? err->code : TD_E_IO;
    *trace = td_trace_create_within(td_dict_create(), memory - memory / SHARD_PART);
    shards.copier = *trace ? td_copier_create(*trace, err) : NULL;
    int rc = shards.copier ? td_shards_parse(text, bytes, add_shard, &shards, err)
                           : td_fail_no_memory(err, "for the trace");
    rc = rc ? rc : td_copier_end(shards.copier, err);
    td_copier_destroy(shards.copier);
    rc = rc ? rc : td_trace_finish(*trace, err);
    if (rc < 0) {
        td_trace_destroy(*trace);
        *trace = NULL;
    }
    free(text);
    return rc;
}
