#include "host/file/out_file.h"
#include "host/file/out_claim.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LINKS_LIMIT 40
#define WAIT_MS     100
#define NAMES_LIMIT 1000

struct td_out_file {
    int fd;       /* -1: the first write opens it: a pipe without a reader, or a file that needs a name */
    unsigned how; /* td_out_how */
    int direct;   /* 1: written directly */
    int waits;    /* 1: a pipe, which takes a little at a time */
    int replaces; /* 1: there is an older file */
    int named;    /* 1: `temporary` exists */
    struct stat old;
    char *name, *target, *folder, *temporary;
};

const char *td_out_file_name(const struct td_out_file *file)
{
    return file->name;
}

const char *td_out_file_unfinished(const struct td_out_file *file)
{
    return file->temporary;
}

bool td_out_file_is_direct(const struct td_out_file *file)
{
    return file->direct;
}

/* The descriptor that a path means, or -1. */
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

/* `path` up to its last slash, followed by `rest`. The caller frees; NULL: no memory. */
static char *in_same_folder(const char *path, const char *rest)
{
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0, room = folder + strlen(rest) + 1;
    char *name = malloc(room);
    if (name)
        snprintf(name, room, "%.*s%s", (int)folder, path, rest);
    return name;
}

/* The link belongs to another user and is in a folder where all users may make links (/tmp). Many systems do
 * not follow such links either (protected_symlinks). */
static bool is_planted(int link, const char *name)
{
    struct stat st, in;
    char *folder = in_same_folder(name, ".");
    bool known = folder && stat(folder, &in) == 0 && fstat(link, &st) == 0;
    free(folder);
    return known && in.st_mode & S_ISVTX && in.st_mode & S_IWOTH && st.st_uid != geteuid() &&
           st.st_uid != in.st_uid;
}

/* The target of a link; NULL: it is no link, or errno says why (EACCES: it must not be followed). */
static char *read_link(const char *name)
{
    char link[PATH_MAX], *next = NULL;
    int fd = open(name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    ssize_t n = fd >= 0 ? readlinkat(fd, "", link, sizeof link - 1) : -1;
    errno = 0;
    if (n > 0 && is_planted(fd, name)) {
        errno = EACCES;
    } else if (n > 0) {
        link[n] = 0;
        next = link[0] == '/' ? strdup(link) : in_same_folder(name, link);
    }
    int why = errno;
    if (fd >= 0)
        close(fd);
    errno = why;
    return next;
}

/* The path without links; its file need not exist. NULL: see errno. */
static char *follow_links(const char *path)
{
    char *name = strdup(path), *next = name;
    for (int i = 0; name && i < LINKS_LIMIT && (next = read_link(name)); i++) {
        free(name);
        name = next;
    }
    if (next || !errno)
        return name;
    free(name);
    return NULL;
}

static int fail_to_write(const struct td_out_file *file, struct td_err *err)
{
    return td_fail_errno(err, "cannot write '%s'", file->name);
}

static mode_t mode_of_new(const struct td_out_file *file)
{
    return file->how & TD_OUT_PRIVATE ? 0600 : 0666;
}

/* Makes a name for the unfinished file that no other process can predict; false: it could not. */
static bool make_temporary_name(struct td_out_file *file)
{
    free(file->temporary);
    file->temporary = td_out_claim_name(file->target);
    return file->temporary != NULL;
}

/* Shows other processes that the file is being written (out_claim.h); false: one has removed it. */
static bool lock_named(const struct td_out_file *file)
{
    struct stat st;
    flock(file->fd, LOCK_EX | LOCK_NB);
    return fstat(file->fd, &st) == 0 && st.st_nlink > 0;
}

/* Copies owner and permissions of the replaced file. If the system refuses the owner, this user stays it. */
static int take_permissions(const struct td_out_file *file, struct td_err *err)
{
    const struct stat *old = &file->old;
    if (!file->replaces)
        return 0;
    if ((old->st_uid != geteuid() || old->st_gid != getegid()) && fchown(file->fd, old->st_uid, old->st_gid))
        errno = 0;
    return fchmod(file->fd, old->st_mode & 07777) < 0 ? fail_to_write(file, err) : 0;
}

static void remove_named(struct td_out_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    if (file->named)
        unlink(file->temporary);
    file->fd = -1;
    file->named = 0;
}

static int open_named(struct td_out_file *file, struct td_err *err)
{
    for (unsigned n = 0; n < NAMES_LIMIT; n++) {
        if (!make_temporary_name(file))
            return td_fail_no_memory(err, "for writing the trace");
        file->fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_of_new(file));
        file->named = file->fd >= 0;
        if (file->named && lock_named(file))
            return take_permissions(file, err);
        if (!file->named && errno != EEXIST)
            break;
        remove_named(file);
    }
    return fail_to_write(file, err);
}

/* The path in /proc through which a file without a name gets one. */
static void proc_name(const struct td_out_file *file, char *name, size_t room)
{
    snprintf(name, room, "/proc/self/fd/%d", file->fd);
}

/* Where a file needs a name: checks that it can be made, and removes it. The first write makes it again, so
 * that a program killed before that leaves nothing. */
static int try_named(struct td_out_file *file, struct td_err *err)
{
    int rc = open_named(file, err);
    remove_named(file);
    return rc;
}

static int open_temporary(struct td_out_file *file, struct td_err *err)
{
    char name[40];
    if (file->how & TD_OUT_NAMED)
        return open_named(file, err);
    file->fd = open(file->folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, mode_of_new(file));
    if (file->fd < 0)
        return try_named(file, err);
    proc_name(file, name, sizeof name);
    if (access(name, F_OK) == 0) {
        flock(file->fd, LOCK_EX | LOCK_NB); /* needed between linking and renaming */
        return take_permissions(file, err);
    }
    remove_named(file);
    return try_named(file, err);
}

static int fail_exists(const struct td_out_file *file, struct td_err *err)
{
    return td_fail(err, TD_E_EXISTS, "'%s' already exists", file->name);
}

/* If a name cannot be claimed (the folder may not be read, the name is too long), td_out_file_commit() still
 * replaces no file. */
static int open_claimed(struct td_out_file *file, struct td_err *err)
{
    struct td_err unused = {0};
    int lock = td_out_claim_begin(file->folder), rc = 0;
    if (lock >= 0 && td_out_claim_is_taken(lock, file->target))
        rc = td_fail(err, TD_E_EXISTS, "another process is writing '%s'", file->name);
    else if (access(file->target, F_OK) == 0) /* made since the first check */
        rc = fail_exists(file, err);
    else if (lock < 0 || open_named(file, &unused) < 0)
        rc = open_temporary(file, err);
    td_out_claim_end(lock);
    return rc;
}

static int open_new(struct td_out_file *file, struct td_err *err)
{
    return file->how & TD_OUT_CLAIM ? open_claimed(file, err) : open_temporary(file, err);
}

/* Opens a pipe without waiting for a reader; false: it has none. true: opened, or an error in errno. */
static bool open_pipe(struct td_out_file *file)
{
    file->fd = open(file->target, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    return file->fd >= 0 || errno != ENXIO;
}

static int open_direct(struct td_out_file *file, int fd, const struct stat *old, struct td_err *err)
{
    struct stat st;
    file->direct = 1;
    if (old && S_ISFIFO(old->st_mode) && !open_pipe(file)) {
        file->waits = 1;
        return access(file->target, W_OK) < 0 ? fail_to_write(file, err) : 0;
    }
    if (fd >= 0)
        file->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    else if (file->fd < 0)
        file->fd = open(file->target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (file->fd < 0 || fstat(file->fd, &st) < 0)
        return fail_to_write(file, err);
    if (!(file->how & TD_OUT_TEXT) && isatty(file->fd))
        return td_fail(err, TD_E_USAGE, "cannot write '%s': it is a terminal", file->name);
    file->waits = S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode);
    return 0;
}

static int open_replacement(struct td_out_file *file, const struct stat *old, struct td_err *err)
{
    if (file->how & TD_OUT_NEW)
        return fail_exists(file, err);
    if (access(file->target, W_OK) < 0)
        return fail_to_write(file, err);
    file->replaces = 1;
    file->old = *old;
    return open_temporary(file, err);
}

static int open_target(struct td_out_file *file, const char *path, struct td_err *err)
{
    struct stat st;
    int fd = descriptor_of(path);
    file->name = strdup(strcmp(path, "-") ? path : "standard output");
    file->target = follow_links(path);
    if (!file->target && errno == EACCES && file->name)
        return fail_to_write(file, err);
    file->folder = file->target ? in_same_folder(file->target, ".") : NULL;
    if (!file->name || !file->folder)
        return td_fail_no_memory(err, "for writing the trace");
    if (fd >= 0)
        return open_direct(file, fd, NULL, err);
    if (stat(file->target, &st) < 0)
        return errno == ENOENT ? open_new(file, err) : fail_to_write(file, err);
    if (S_ISREG(st.st_mode))
        return open_replacement(file, &st, err);
    if (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode))
        return open_direct(file, -1, &st, err);
    return td_fail(err, TD_E_USAGE, "cannot write '%s': it is %s", file->name,
                   S_ISDIR(st.st_mode) ? "a folder" : "not a file");
}

struct td_out_file *td_out_file_open(const char *path, unsigned how, struct td_err *err)
{
    struct td_out_file *file = calloc(1, sizeof *file);
    if (!file) {
        td_fail_no_memory(err, "for writing the trace");
        return NULL;
    }
    file->fd = -1;
    file->how = how;
    if (open_target(file, path, err) < 0) {
        td_out_file_close(file);
        return NULL;
    }
    return file;
}

static int fail_stopped(const struct td_out_file *file, struct td_err *err)
{
    return td_fail(err, TD_E_STOPPED, "stopped while writing '%s'", file->name);
}

/* Waits until a process opens the named pipe for reading. */
static int wait_for_reader(struct td_out_file *file, int (*gave_up)(void *self), void *self,
                           struct td_err *err)
{
    while (!open_pipe(file)) {
        if (gave_up && gave_up(self))
            return fail_stopped(file, err);
        nanosleep(&(struct timespec){0, WAIT_MS * 1000000}, NULL);
    }
    return file->fd < 0 ? fail_to_write(file, err) : 0;
}

static int open_late(struct td_out_file *file, int (*gave_up)(void *self), void *self, struct td_err *err)
{
    if (file->fd >= 0)
        return 0;
    return file->direct ? wait_for_reader(file, gave_up, self, err) : open_named(file, err);
}

int td_out_file_write(struct td_out_file *file, const void *data, size_t bytes, int (*gave_up)(void *self),
                      void *self, struct td_err *err)
{
    const uint8_t *from = data;
    int rc = open_late(file, gave_up, self, err);
    if (rc < 0)
        return rc;
    while (bytes) {
        struct pollfd p = {file->fd, POLLOUT, 0};
        if (file->waits && poll(&p, 1, WAIT_MS) == 0) {
            if (gave_up && gave_up(self))
                return fail_stopped(file, err);
            continue;
        }
        /* A pipe that is ready takes PIPE_BUF bytes without blocking. */
        ssize_t n = write(file->fd, from, file->waits && bytes > PIPE_BUF ? PIPE_BUF : bytes);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return fail_to_write(file, err);
        if (n > 0) {
            from += n;
            bytes -= (size_t)n;
        }
    }
    return 0;
}

/* Makes the new name durable. Failing is no error: not every file system can sync folders. */
static void sync_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}

/* Links the file without a name to its target or, if the target exists, to a temporary name. false: see
 * errno. */
static bool give_name(struct td_out_file *file)
{
    char name[40];
    proc_name(file, name, sizeof name);
    if (!file->replaces && linkat(AT_FDCWD, name, AT_FDCWD, file->target, AT_SYMLINK_FOLLOW) == 0)
        return true;
    if (!file->replaces && (errno != EEXIST || file->how & TD_OUT_NEW))
        return false;
    for (unsigned n = 0; n < NAMES_LIMIT; n++) {
        if (!make_temporary_name(file)) {
            errno = ENOMEM;
            return false;
        }
        file->named = linkat(AT_FDCWD, name, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW) == 0;
        if (file->named)
            return true;
        if (errno != EEXIST)
            break;
    }
    return false;
}

/* Renames the file without replacing one that appeared meanwhile. false: see errno. */
static bool rename_new(struct td_out_file *file)
{
    if (renameat2(AT_FDCWD, file->temporary, AT_FDCWD, file->target, RENAME_NOREPLACE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS)
        return false;
    if (link(file->temporary, file->target) == 0) {
        unlink(file->temporary);
        return true;
    }
    if (access(file->target, F_OK) == 0) {
        errno = EEXIST;
        return false;
    }
    return rename(file->temporary, file->target) == 0; /* the file system can do neither */
}

/* The file of the target's name is PATH.old, too, until the new one takes its name. false: see errno. */
static bool keep_old(const struct td_out_file *file)
{
    char *old = NULL;
    if (asprintf(&old, "%s.old", file->target) < 0)
        return false;
    unlink(old);
    const bool kept = link(file->target, old) == 0 || rename(file->target, old) == 0 || errno == ENOENT;
    free(old);
    return kept;
}

/* false: see errno. */
static bool put_in_place(struct td_out_file *file)
{
    if (!file->named && !give_name(file))
        return false;
    if (!file->named)
        return true;
    if (file->how & TD_OUT_KEEP_OLD && !keep_old(file))
        return false;
    if (file->how & TD_OUT_NEW ? !rename_new(file) : rename(file->temporary, file->target) < 0)
        return false;
    file->named = 0;
    return true;
}

int td_out_file_commit(struct td_out_file *file, struct td_err *err)
{
    if (file->direct)
        return 0;
    int rc = open_late(file, NULL, NULL, err); /* in case nothing was written */
    if (rc < 0)
        return rc;
    if (fsync(file->fd) < 0 && errno != EINVAL && errno != EROFS)
        return fail_to_write(file, err);
    if (!put_in_place(file))
        return errno == EEXIST ? fail_exists(file, err) : fail_to_write(file, err);
    sync_folder(file->folder);
    return 0;
}

void td_out_file_close(struct td_out_file *file)
{
    if (!file)
        return;
    remove_named(file);
    free(file->name);
    free(file->target);
    free(file->folder);
    free(file->temporary);
    free(file);
}
