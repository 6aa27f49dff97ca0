#include "host/base/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define PREFIX     "tendril-run."
#define MARKER     "tendril.lock"
#define MAKE_TRIES 100

enum { FOLDER_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

static const char marker_text[] = "tendril run folder\n";

/* 1: a file of this kind that belongs to this user, and that no other user may open. */
static bool is_private(int fd, mode_t kind, struct stat *st)
{
    return fstat(fd, st) == 0 && (st->st_mode & S_IFMT) == kind && st->st_uid == geteuid() &&
           !(st->st_mode & (S_IRWXG | S_IRWXO));
}

/* Removes all files but the marker; 1: nothing else is left. */
static int remove_files(int folder)
{
    int fd = openat(folder, ".", FOLDER_FLAGS), all = 1;
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        if (fd >= 0)
            close(fd);
        return 0;
    }
    for (struct dirent *e; (e = readdir(dir));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && strcmp(e->d_name, MARKER))
            all &= unlinkat(folder, e->d_name, 0) == 0;
    closedir(dir);
    return all;
}

/* Removes an empty folder, unless its name means another one by now. */
static void remove_name(int base, const char *name, int folder)
{
    struct stat here, named;
    if (fstat(folder, &here) == 0 && fstatat(base, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
        here.st_dev == named.st_dev && here.st_ino == named.st_ino)
        unlinkat(base, name, AT_REMOVEDIR);
}

/* The marker goes last: a folder from which this process could not remove everything is still known as one.
 */
static void remove_all(int base, const char *name, int folder)
{
    if (remove_files(folder) && unlinkat(folder, MARKER, 0) == 0)
        remove_name(base, name, folder);
}

/* The marker's text, or nothing, which a process leaves that was killed before it wrote it. */
static bool has_marker_text(int fd, const struct stat *st)
{
    char text[sizeof marker_text];
    const ssize_t length = sizeof marker_text - 1;
    return st->st_size == 0 ||
           (pread(fd, text, sizeof text, 0) == length && memcmp(text, marker_text, (size_t)length) == 0);
}

/* A descriptor of the folder's marker, locked; TD_E_NOTFOUND: there is none, or a living process holds its
 * lock. */
static int lock_marker(int folder)
{
    struct stat st;
    int fd = openat(folder, MARKER, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return TD_E_NOTFOUND;
    if (is_private(fd, S_IFREG, &st) && st.st_nlink == 1 && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
        has_marker_text(fd, &st))
        return fd;
    close(fd);
    return TD_E_NOTFOUND;
}

/* Works on descriptors, because the name may mean another folder a moment later. A folder without a marker
 * is removed if it is empty: its process was killed before it made the marker, or will find the folder
 * gone and make another one. */
static void sweep_one(int base, const char *name)
{
    struct stat st;
    int folder = openat(base, name, FOLDER_FLAGS);
    if (folder < 0)
        return;
    if (is_private(folder, S_IFDIR, &st)) {
        int lock = lock_marker(folder);
        if (lock >= 0)
            remove_all(base, name, folder);
        else
            remove_name(base, name, folder);
        if (lock >= 0)
            close(lock);
    }
    close(folder);
}

static void sweep_base(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir)
        return;
    for (struct dirent *e; (e = readdir(dir));)
        if (strncmp(e->d_name, PREFIX, sizeof PREFIX - 1) == 0)
            sweep_one(dirfd(dir), e->d_name);
    closedir(dir);
}

static const char *temporary_base(void)
{
    const char *base = getenv("TMPDIR");
    return base && *base ? base : "/tmp";
}

void td_run_folder_sweep(void)
{
    const int error = errno;
    const char *temporary = temporary_base();
    sweep_base("/dev/shm");
    sweep_base("/tmp");
    if (strcmp(temporary, "/tmp") != 0)
        sweep_base(temporary);
    errno = error;
}

/* 1: other users can replace what is made in this folder. */
static bool is_unsafe(const char *base)
{
    struct stat st;
    return stat(base, &st) == 0 && (st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX);
}

/* /dev/shm if the files fit (it is often small in containers), else the folder for temporary files. */
static const char *choose_base(uint64_t wanted)
{
    struct statvfs shm;
    if (access("/dev/shm", W_OK) == 0 && !is_unsafe("/dev/shm") && statvfs("/dev/shm", &shm) == 0 &&
        (uint64_t)shm.f_bavail * shm.f_bsize > wanted)
        return "/dev/shm";
    return temporary_base();
}

static void close_all(struct td_run_folder *f)
{
    const int fds[] = {f->lock, f->folder, f->base};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    *f = (struct td_run_folder){.path = ""};
}

static const char *name_of(const struct td_run_folder *f)
{
    return strrchr(f->path, '/') + 1;
}

/* Makes the marker and locks it. On a file system without such locks no process can remove the folder of
 * another one. 0; TD_E_IO: errno says why; 1: another process has removed the folder as a killed one's. */
static int make_marker(struct td_run_folder *f)
{
    struct stat st;
    f->lock = openat(f->folder, MARKER, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (f->lock < 0)
        return errno == ENOENT ? 1 : TD_E_IO;
    if (flock(f->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return 1;
    if (fstat(f->lock, &st) != 0)
        return TD_E_IO;
    if (st.st_nlink == 0)
        return 1;
    for (size_t done = 0; done < sizeof marker_text - 1;) {
        errno = ENOSPC;
        const ssize_t n = write(f->lock, marker_text + done, sizeof marker_text - 1 - done);
        if (n <= 0 && errno != EINTR)
            return TD_E_IO;
        done += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

static int fill_folder(struct td_run_folder *f)
{
    struct stat st;
    f->folder = openat(f->base, name_of(f), FOLDER_FLAGS);
    if (f->folder < 0)
        return errno == ENOENT ? 1 : TD_E_IO;
    errno = EPERM;
    return is_private(f->folder, S_IFDIR, &st) ? make_marker(f) : TD_E_IO;
}

/* 0; TD_E_IO: impossible, errno says why; 1: try again. */
static int make_once(struct td_run_folder *f, const char *base)
{
    *f = (struct td_run_folder){.folder = -1, .lock = -1};
    f->base = open(base, O_PATH | O_DIRECTORY | O_CLOEXEC); /* this user may not be allowed to list it */
    int n = snprintf(f->path, sizeof f->path, "%s/" PREFIX "XXXXXX", base), rc = TD_E_IO;
    if (f->base >= 0 && (n < 0 || (size_t)n >= sizeof f->path))
        errno = ENAMETOOLONG;
    else if (f->base >= 0 && mkdtemp(f->path))
        rc = fill_folder(f);
    const int error = rc > 0 ? EAGAIN : errno;
    if (rc < 0 && f->lock >= 0)
        remove_all(f->base, name_of(f), f->folder);
    else if (rc < 0 && f->folder >= 0)
        remove_name(f->base, name_of(f), f->folder);
    if (rc)
        close_all(f);
    errno = error;
    return rc;
}

int td_run_folder_make(struct td_run_folder *f, uint64_t wanted, struct td_err *err)
{
    const char *base = choose_base(wanted);
    int rc = 1;
    f->path[0] = 0;
    if (is_unsafe(base))
        return td_fail(
            err, TD_E_USAGE,
            "other users can replace what is made in %s: set its sticky bit (chmod +t %s), or name "
            "another folder in TMPDIR",
            base, base);
    for (int i = 0; rc > 0 && i < MAKE_TRIES; i++)
        rc = make_once(f, base);
    return rc == 0 ? 0 : td_fail_errno(err, "cannot make a folder in %s", base);
}

void td_run_folder_remove(struct td_run_folder *f)
{
    if (!f->path[0])
        return;
    remove_all(f->base, name_of(f), f->folder);
    close_all(f);
}
