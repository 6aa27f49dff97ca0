#include "host/file/out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_LIMIT 40
#define WAIT_MS     100

struct td_out_file {
    int fd;
    int direct;   /* written where it stays */
    int waits;    /* a pipe: takes a little at a time */
    int replaces; /* there is an older file */
    int named;    /* `temporary` exists */
    char *name, *target, *folder, *temporary;
};

const char *td_out_file_name(const struct td_out_file *file)
{
    return file->name;
}

/* The descriptor that a path stands for, or -1. */
static int descriptor_of(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (!strcmp(path, "-") || !strcmp(path, "/dev/stdout"))
        return STDOUT_FILENO;
    for (size_t i = 0; i < 2; i++) {
        size_t n = strlen(folders[i]);
        char *end;
        if (strncmp(path, folders[i], n) || path[n] < '0' || path[n] > '9')
            continue;
        long fd = strtol(path + n, &end, 10);
        if (!*end && fd < INT_MAX)
            return (int)fd;
    }
    return -1;
}

/* `path` up to and with its last slash, followed by `rest`. */
static char *beside(const char *path, const char *rest)
{
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0, room = folder + strlen(rest) + 1;
    char *name = malloc(room);
    if (name)
        snprintf(name, room, "%.*s%s", (int)folder, path, rest);
    return name;
}

/* Where a path leads when it is a link, or a link to a link, even to nothing yet. */
static char *follow(const char *path)
{
    char *name = strdup(path), link[PATH_MAX];
    for (int i = 0; name && i < LINKS_LIMIT; i++) {
        ssize_t n = readlink(name, link, sizeof link - 1);
        if (n <= 0)
            break;
        link[n] = 0;
        char *next = link[0] == '/' ? strdup(link) : beside(name, link);
        free(name);
        name = next;
    }
    return name;
}

static int cannot(const struct td_out_file *file, struct td_err *err)
{
    return td_fail_errno(err, "cannot write '%s'", file->name);
}

static int no_memory(struct td_err *err)
{
    return td_fail(err, TD_E_NOMEM, "out of memory for writing the trace");
}

/* The next free name for the unfinished file; 0: none. */
static int next_name(struct td_out_file *file, unsigned n)
{
    size_t room = strlen(file->target) + 40;
    if (!file->temporary && !(file->temporary = malloc(room)))
        return 0;
    snprintf(file->temporary, room, "%s.%ld-%u.part", file->target, (long)getpid(), n);
    return n < 1000;
}

static int open_named(struct td_out_file *file, struct td_err *err)
{
    errno = ENOMEM;
    for (unsigned n = 0; next_name(file, n); n++) {
        file->fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        file->named = file->fd >= 0;
        if (file->named)
            return 0;
        if (errno != EEXIST)
            break;
    }
    return file->temporary ? cannot(file, err) : no_memory(err);
}

/* A file without a name gets one through /proc: without that it would be lost. */
static void proc_name(const struct td_out_file *file, char *name, size_t room)
{
    snprintf(name, room, "/proc/self/fd/%d", file->fd);
}

static int open_temporary(struct td_out_file *file, struct td_err *err)
{
    char name[40];
    file->fd = open(file->folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    if (file->fd < 0)
        return open_named(file, err);
    proc_name(file, name, sizeof name);
    if (access(name, F_OK) == 0)
        return 0;
    close(file->fd);
    file->fd = -1;
    return open_named(file, err);
}

static int open_direct(struct td_out_file *file, int fd, struct td_err *err)
{
    struct stat st;
    file->direct = 1;
    file->fd = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : open(file->target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (file->fd < 0 || fstat(file->fd, &st) < 0)
        return cannot(file, err);
    if (isatty(file->fd))
        return td_fail(err, TD_E_USAGE, "cannot write '%s': it is a terminal", file->name);
    file->waits = S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode);
    return 0;
}

static int open_replacement(struct td_out_file *file, const struct stat *old, struct td_err *err)
{
    if (access(file->target, W_OK) < 0)
        return cannot(file, err);
    file->replaces = 1;
    int rc = open_temporary(file, err);
    if (rc < 0)
        return rc;
    /* What the system does not let us give away stays ours. */
    if ((old->st_uid != geteuid() || old->st_gid != getegid()) && fchown(file->fd, old->st_uid, old->st_gid))
        errno = 0;
    return fchmod(file->fd, old->st_mode & 07777) < 0 ? cannot(file, err) : 0;
}

static int open_target(struct td_out_file *file, const char *path, struct td_err *err)
{
    struct stat st;
    int fd = descriptor_of(path);
    file->name = strdup(strcmp(path, "-") ? path : "standard output");
    file->target = follow(path);
    file->folder = file->target ? beside(file->target, ".") : NULL;
    if (!file->name || !file->folder)
        return no_memory(err);
    if (fd >= 0)
        return open_direct(file, fd, err);
    if (stat(file->target, &st) < 0)
        return errno == ENOENT ? open_temporary(file, err) : cannot(file, err);
    if (S_ISREG(st.st_mode))
        return open_replacement(file, &st, err);
    if (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode))
        return open_direct(file, -1, err);
    return td_fail(err, TD_E_USAGE, "cannot write '%s': it is %s", file->name,
                   S_ISDIR(st.st_mode) ? "a folder" : "not a file");
}

struct td_out_file *td_out_file_open(const char *path, struct td_err *err)
{
    struct td_out_file *file = calloc(1, sizeof *file);
    if (!file) {
        no_memory(err);
        return NULL;
    }
    file->fd = -1;
    if (open_target(file, path, err) < 0) {
        td_out_file_close(file);
        return NULL;
    }
    return file;
}

int td_out_file_write(struct td_out_file *file, const void *data, size_t bytes, int (*gave_up)(void *self),
                      void *self, struct td_err *err)
{
    const uint8_t *from = data;
    while (bytes) {
        struct pollfd p = {file->fd, POLLOUT, 0};
        if (file->waits && poll(&p, 1, WAIT_MS) == 0) {
            if (gave_up(self))
                return td_fail(err, TD_E_STOPPED, "stopped while writing '%s'", file->name);
            continue;
        }
        /* So much a pipe that is ready takes without waiting. */
        ssize_t n = write(file->fd, from, file->waits && bytes > PIPE_BUF ? PIPE_BUF : bytes);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return cannot(file, err);
        if (n > 0) {
            from += n;
            bytes -= (size_t)n;
        }
    }
    return 0;
}

/* A name lasts only when its folder is on the disk as well; file systems without that are no error. */
static void sync_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}

/* Gives the file without a name its place, or, where that is taken, a name beside it. */
static int give_name(struct td_out_file *file)
{
    char name[40];
    proc_name(file, name, sizeof name);
    if (!file->replaces && linkat(AT_FDCWD, name, AT_FDCWD, file->target, AT_SYMLINK_FOLLOW) == 0)
        return 0;
    if (!file->replaces && errno != EEXIST)
        return -1;
    errno = ENOMEM;
    for (unsigned n = 0; next_name(file, n); n++) {
        file->named = linkat(AT_FDCWD, name, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW) == 0;
        if (file->named)
            return 0;
        if (errno != EEXIST)
            break;
    }
    return -1;
}

int td_out_file_commit(struct td_out_file *file, struct td_err *err)
{
    if (file->direct)
        return 0;
    if (fsync(file->fd) < 0 && errno != EINVAL && errno != EROFS)
        return cannot(file, err);
    if (!file->named && give_name(file) < 0)
        return cannot(file, err);
    if (file->named && rename(file->temporary, file->target) < 0)
        return cannot(file, err);
    file->named = 0;
    sync_folder(file->folder);
    return 0;
}

void td_out_file_close(struct td_out_file *file)
{
    if (!file)
        return;
    if (file->fd >= 0)
        close(file->fd);
    if (file->named)
        unlink(file->temporary);
    free(file->name);
    free(file->target);
    free(file->folder);
    free(file->temporary);
    free(file);
}
