/* What newlib asks of an operating system. There are no files and there is no heap, so this fails as it
 * should; standard output and error are in write.c. */
#include <errno.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/times.h>
#include <sys/time.h>
#include <unistd.h>
#undef errno
extern int errno;

int _read(int file, void *to, size_t count);
int _close(int file);
int _fstat(int file, struct stat *st);
int _isatty(int file);
int _lseek(int file, int offset, int whence);
int _open(const char *name, int flags, int mode);
int _kill(int pid, int signal);
int _getpid(void);
void *_sbrk(ptrdiff_t bytes);
int _unlink(const char *name);
int _link(const char *from, const char *to);
int _stat(const char *name, struct stat *st);
int _gettimeofday(struct timeval *now, void *zone);
clock_t _times(struct tms *t);
int _execve(const char *name, char *const argv[], char *const env[]);
int _fork(void);
int _wait(int *status);

static int fail(int code)
{
    errno = code;
    return -1;
}

int _read(int file, void *to, size_t count)
{
    (void)to, (void)count;
    return file == STDIN_FILENO ? 0 : fail(EBADF);
}

int _close(int file)
{
    return file <= STDERR_FILENO ? 0 : fail(EBADF);
}

int _fstat(int file, struct stat *st)
{
    if (file > STDERR_FILENO)
        return fail(EBADF);
    *st = (struct stat){.st_mode = S_IFCHR};
    return 0;
}

int _isatty(int file)
{
    return file <= STDERR_FILENO;
}

int _lseek(int file, int offset, int whence)
{
    (void)file, (void)offset, (void)whence;
    return fail(ESPIPE);
}

int _open(const char *name, int flags, int mode)
{
    (void)name, (void)flags, (void)mode;
    return fail(ENOENT);
}

/* abort() and raise() end here. */
int _kill(int pid, int signal)
{
    (void)pid;
    _exit(128 + signal);
}

int _getpid(void)
{
    return 1;
}

void *_sbrk(ptrdiff_t bytes)
{
    (void)bytes;
    errno = ENOMEM;
    return (void *)-1;
}

int _unlink(const char *name)
{
    (void)name;
    return fail(ENOENT);
}

int _link(const char *from, const char *to)
{
    (void)from, (void)to;
    return fail(EMLINK);
}

int _stat(const char *name, struct stat *st)
{
    (void)name, (void)st;
    return fail(ENOENT);
}

int _gettimeofday(struct timeval *now, void *zone)
{
    (void)now, (void)zone;
    return fail(ENOSYS);
}

clock_t _times(struct tms *t)
{
    (void)t;
    return (clock_t)fail(ENOSYS);
}

int _execve(const char *name, char *const argv[], char *const env[])
{
    (void)name, (void)argv, (void)env;
    return fail(ENOSYS);
}

int _fork(void)
{
    return fail(ENOSYS);
}

int _wait(int *status)
{
    (void)status;
    return fail(ECHILD);
}
