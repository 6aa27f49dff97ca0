#include "host/agent/journal/journal_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The path of the journal of a number, from 1 on. False: it is too long. */
static bool journal_path(const char *output, int number, char path[TD_JOURNAL_PATH_MAX])
{
    const int n = number == 1
                      ? snprintf(path, TD_JOURNAL_PATH_MAX, "%s" TD_JOURNAL_SUFFIX, output)
                      : snprintf(path, TD_JOURNAL_PATH_MAX, "%s.%d" TD_JOURNAL_SUFFIX, output, number);
    return n < TD_JOURNAL_PATH_MAX;
}

/* A lock of the process, which its children do not inherit. 0, or the number of the process that has it, -1
 * if that is not known. */
static pid_t lock_journal(int fd, int command)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (command == F_SETLK && fcntl(fd, F_SETLK, &lock) == 0)
        return 0;
    if (command == F_SETLK && errno != EACCES && errno != EAGAIN)
        return 0; /* a file system without locks */
    lock.l_type = F_WRLCK;
    if (fcntl(fd, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK)
        return 0;
    return lock.l_pid > 0 ? lock.l_pid : -1;
}

int td_journal_file_create(const char *output, char path[TD_JOURNAL_PATH_MAX], struct td_err *err)
{
    for (int number = 1; number <= TD_JOURNAL_NAMES; number++) {
        if (!journal_path(output, number, path))
            return td_fail(err, TD_E_LIMIT, "the name of its journal is too long");
        const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd >= 0) {
            lock_journal(fd, F_SETLK);
            return fd;
        }
        if (errno != EEXIST)
            return td_fail_errno(err, "cannot create '%s'", path);
    }
    return td_fail(err, TD_E_EXISTS, "there are %d journals of '%s' already", TD_JOURNAL_NAMES, output);
}

void td_journal_file_remove(int fd, const char *path)
{
    struct stat ours, there;
    if (fstat(fd, &ours) == 0 && lstat(path, &there) == 0 && ours.st_dev == there.st_dev &&
        ours.st_ino == there.st_ino)
        unlink(path);
}

/* A journal with contents that no process holds. */
static bool is_left(const char *path)
{
    struct stat st;
    const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return false;
    const bool left = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
                      st.st_uid == geteuid() && lock_journal(fd, F_GETLK) == 0;
    close(fd);
    return left;
}

size_t td_journal_file_left(const char *output, void (*visit)(void *self, const char *path), void *self)
{
    char path[TD_JOURNAL_PATH_MAX];
    size_t count = 0;
    for (int number = 1; number <= TD_JOURNAL_NAMES && journal_path(output, number, path); number++) {
        if (!is_left(path))
            continue;
        count++;
        visit(self, path);
    }
    return count;
}

int td_journal_file_open(const char *path, struct td_err *err)
{
    struct stat st;
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && (errno == EACCES || errno == EROFS || errno == EPERM))
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* locks for writing are not possible */
    if (fd < 0 && errno == ENOENT)
        return td_fail(err, TD_E_NOTFOUND, "there is no file '%s'", path);
    if (fd < 0)
        return td_fail_errno(err, "cannot read '%s'", path);
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return td_fail(err, TD_E_IO, "'%s' is not a regular file", path);
    }
    const bool writable = (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR;
    const pid_t holder = lock_journal(fd, writable ? F_SETLK : F_GETLK);
    if (!holder)
        return fd;
    close(fd);
    if (holder > 0)
        return td_fail(err, TD_E_EXISTS, "'%s' is in use by process %ld; its recording is not over", path,
                       (long)holder);
    return td_fail(err, TD_E_EXISTS, "'%s' is in use; its recording is not over", path);
}

bool td_journal_file_is_name(const char *path)
{
    const size_t length = strlen(path), end = sizeof TD_JOURNAL_SUFFIX - 1;
    return length > end && strcmp(path + length - end, TD_JOURNAL_SUFFIX) == 0;
}
