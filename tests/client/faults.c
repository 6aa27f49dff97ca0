/* A library for LD_PRELOAD: a function of the C library fails, as $TD_FAULT says: NAME:ERRNO:FIRST:COUNT. Of
 * its calls from the FIRST-th on (1 is the first) COUNT fail with that error number, 0: all. COUNT -1: every
 * other one does. $TD_FAULT_SAID is a file that is made when one did. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static struct {
    char name[32];
    int error, count;
    unsigned first;
} fault;
static unsigned calls;

__attribute__((constructor(101))) static void begin(void)
{
    const char *text = getenv("TD_FAULT");
    if (text && sscanf(text, "%31[^:]:%d:%u:%d", fault.name, &fault.error, &fault.first, &fault.count) != 4)
        _exit(2);
}

static int fails(const char *name)
{
    if (strcmp(fault.name, name) != 0)
        return 0;
    unsigned call = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    if (call < fault.first || (fault.count > 0 && call >= fault.first + (unsigned)fault.count))
        return 0;
    if (fault.count < 0 && (call - fault.first) % 2)
        return 0;
    const char *said = getenv("TD_FAULT_SAID");
    if (said)
        mknod(said, S_IFREG | 0600, 0);
    errno = fault.error;
    return 1;
}

/* A function that fails, or is the next one of its name. */
#define FAULTY(type, failed, name, parameters, ...)                                                          \
    __attribute__((visibility("default"))) type name parameters;                                             \
    type name parameters                                                                                     \
    {                                                                                                        \
        static type(*real) parameters;                                                                       \
        if (!real)                                                                                           \
            *(void **)(void *)&real = dlsym(RTLD_NEXT, #name);                                               \
        return fails(#name) ? failed : real(__VA_ARGS__);                                                    \
    }

FAULTY(void *, MAP_FAILED, mmap, (void *at, size_t bytes, int protection, int flags, int fd, off_t offset),
       at, bytes, protection, flags, fd, offset)
FAULTY(ssize_t, -1, write, (int fd, const void *bytes, size_t count), fd, bytes, count)
FAULTY(ssize_t, -1, read, (int fd, void *bytes, size_t count), fd, bytes, count)
FAULTY(ssize_t, -1, pread, (int fd, void *bytes, size_t count, off_t offset), fd, bytes, count, offset)
FAULTY(ssize_t, -1, send, (int fd, const void *bytes, size_t count, int flags), fd, bytes, count, flags)
FAULTY(ssize_t, -1, recv, (int fd, void *bytes, size_t count, int flags), fd, bytes, count, flags)
FAULTY(ssize_t, -1, process_vm_readv,
       (pid_t pid, const struct iovec *to, unsigned long many, const struct iovec *from, unsigned long most,
        unsigned long flags),
       pid, to, many, from, most, flags)
FAULTY(int, -1, pipe2, (int ends[2], int flags), ends, flags)
FAULTY(int, -1, poll, (struct pollfd * fds, nfds_t count, int ms), fds, count, ms)
FAULTY(int, -1, accept4, (int fd, struct sockaddr *from, socklen_t *bytes, int flags), fd, from, bytes, flags)
FAULTY(int, -1, socket, (int domain, int type, int protocol), domain, type, protocol)
FAULTY(int, -1, eventfd, (unsigned value, int flags), value, flags)
FAULTY(int, fault.error, pthread_create,
       (pthread_t * thread, const pthread_attr_t *attributes, void *(*body)(void *), void *self), thread,
       attributes, body, self)
FAULTY(int, -1, fstat, (int fd, struct stat *st), fd, st)

/* open() has an argument that may not be there. */
__attribute__((visibility("default"))) int open(const char *path, int flags, ...)
{
    static int (*real)(const char *path, int flags, ...);
    if (!real)
        *(void **)(void *)&real = dlsym(RTLD_NEXT, "open");
    __builtin_va_list more;
    __builtin_va_start(more, flags);
    unsigned mode = flags & O_CREAT ? __builtin_va_arg(more, unsigned) : 0;
    __builtin_va_end(more);
    return fails("open") ? -1 : real(path, flags, mode);
}
