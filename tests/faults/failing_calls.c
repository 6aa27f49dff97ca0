/* A library for LD_PRELOAD: calls of the C library fail, as $TD_FAULT says: NAME:ERROR:FIRST:COUNT. NAME is a
 * function or a kind of them (see kinds). Of its calls from the FIRST-th on (1 is the first; 0: none fails)
 * COUNT fail with that error number, 0: all. COUNT -1: every other one does. ERROR 0: reads and writes move
 * half of the bytes.
 *
 * $TD_FAULT_STATE is a file that is mapped: calls of NAME, those that failed, calls of each kind; of all
 * processes together. $TD_FAULT_WHERE is a file that gets the return addresses of each call that fails.
 * $TD_FAULT_PROGRAM names the one program whose calls are counted. $TD_FAULT_FROM: only calls from libraries
 * with this in their path; else those of the program and of the C library on its behalf. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind { MEMORY, OPEN, READ, WRITE, SYNC, RENAME, SOCKET, THREAD, DESCRIPTOR, WAIT, OTHER, KINDS };
static const char *const kinds[KINDS] = {"memory", "open",   "read",       "write", "sync", "rename",
                                         "socket", "thread", "descriptor", "wait",  "other"};

static struct {
    char name[32];
    int error, count;
    unsigned first;
    const char *from, *where;
} fault;

static struct state {
    uint32_t calls, failed, kinds[KINDS];
} own, *state = &own;
static bool runs;
static __thread bool inside;

/* The streams of the C library make their calls inside of it: streams with functions of ours take their place. */
static FILE *stream(int fd, const char *mode);

__attribute__((constructor(101))) static void begin(void)
{
    const char *text = getenv("TD_FAULT"), *program = getenv("TD_FAULT_PROGRAM"),
               *path = getenv("TD_FAULT_STATE");
    if (!text || (program && strcmp(program, program_invocation_short_name) != 0))
        return;
    if (sscanf(text, "%31[^:]:%d:%u:%d", fault.name, &fault.error, &fault.first, &fault.count) != 4)
        _exit(2);
    fault.from = getenv("TD_FAULT_FROM");
    fault.where = getenv("TD_FAULT_WHERE");
    int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (fd >= 0 && ftruncate(fd, sizeof *state) == 0) {
        void *mapped = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        state = mapped == MAP_FAILED ? &own : mapped;
    }
    if (fd >= 0)
        close(fd);
    void *first[1];
    backtrace(first, 1); /* the first one loads a library */
    FILE *out = stream(STDOUT_FILENO, "w");
    if (out)
        stdout = out;
    runs = true;
}

static bool is_counted(const void *caller)
{
    struct dl_find_object object;
    if (_dl_find_object((void *)(uintptr_t)caller, &object) != 0 || !object.dlfo_link_map->l_name)
        return false;
    const char *name = object.dlfo_link_map->l_name;
    return fault.from ? strstr(name, fault.from) != NULL
                      : !*name || strstr(name, "/libc.so") || strstr(name, "failing_calls");
}

static void say_where(void)
{
    inside = true;
    void *places[32];
    int fd = open(fault.where, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    backtrace_symbols_fd(places, backtrace(places, 32), fd);
    if (fd >= 0)
        close(fd);
    inside = false;
}

/* Counts a call. Has it to fail? Then errno is set; 0: in part. */
static bool fails(enum kind kind, const char *name, const void *caller)
{
    if (!runs || inside || !is_counted(caller))
        return false;
    __atomic_add_fetch(&state->kinds[kind], 1, __ATOMIC_RELAXED);
    if (strcmp(fault.name, name) != 0 && strcmp(fault.name, kinds[kind]) != 0)
        return false;
    unsigned call = __atomic_add_fetch(&state->calls, 1, __ATOMIC_RELAXED);
    if (!fault.first || call < fault.first ||
        (fault.count > 0 && call >= fault.first + (unsigned)fault.count))
        return false;
    if (fault.count < 0 && (call - fault.first) % 2)
        return false;
    __atomic_add_fetch(&state->failed, 1, __ATOMIC_RELAXED);
    if (fault.where)
        say_where();
    errno = fault.error;
    return true;
}

/* A function that fails, or is the next one of its name. */
#define REPLACED(type, name, parameters, ...)                                                                \
    __attribute__((visibility("default"))) type name parameters;                                             \
    type name parameters                                                                                     \
    {                                                                                                        \
        static type(*real) parameters;                                                                       \
        if (!real)                                                                                           \
            *(void **)(void *)&real = dlsym(RTLD_NEXT, #name);                                               \
        __VA_ARGS__                                                                                          \
    }
#define FAULTY(kind, type, failed, name, parameters, ...)                                                    \
    REPLACED(type, name, parameters,                                                                         \
             return fails(kind, #name, __builtin_return_address(0)) ? (failed) : real(__VA_ARGS__);)
/* One that moves `count` bytes. */
#define MOVES(kind, name, parameters, count, ...)                                                            \
    REPLACED(ssize_t, name, parameters, {                                                                    \
        if (fails(kind, #name, __builtin_return_address(0))) {                                               \
            if (errno)                                                                                       \
                return -1;                                                                                   \
            count = (count + 1) / 2;                                                                         \
        }                                                                                                    \
        return real(__VA_ARGS__);                                                                            \
    })

/* Memory: dlsym() allocates itself. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
#define ALLOCATES(name, parameters, ...)                                                                     \
    __attribute__((visibility("default"))) void *name parameters;                                            \
    void *name parameters                                                                                    \
    {                                                                                                        \
        return fails(MEMORY, #name, __builtin_return_address(0)) ? NULL : __libc_##name(__VA_ARGS__);        \
    }
ALLOCATES(malloc, (size_t bytes), bytes)
ALLOCATES(calloc, (size_t count, size_t bytes), count, bytes)
ALLOCATES(realloc, (void *old, size_t bytes), old, bytes)
FAULTY(MEMORY, void *, NULL, aligned_alloc, (size_t alignment, size_t bytes), alignment, bytes)
FAULTY(MEMORY, void *, MAP_FAILED, mmap,
       (void *at, size_t bytes, int protection, int flags, int fd, off_t offset), at, bytes, protection,
       flags, fd, offset)

MOVES(WRITE, write, (int fd, const void *bytes, size_t count), count, fd, bytes, count)
MOVES(WRITE, pwrite, (int fd, const void *bytes, size_t count, off_t offset), count, fd, bytes, count, offset)
MOVES(WRITE, send, (int fd, const void *bytes, size_t count, int flags), count, fd, bytes, count, flags)
MOVES(WRITE, sendto,
      (int fd, const void *bytes, size_t count, int flags, const struct sockaddr *to, socklen_t long_), count,
      fd, bytes, count, flags, to, long_)
MOVES(READ, read, (int fd, void *bytes, size_t count), count, fd, bytes, count)
MOVES(READ, pread, (int fd, void *bytes, size_t count, off_t offset), count, fd, bytes, count, offset)
MOVES(READ, recv, (int fd, void *bytes, size_t count, int flags), count, fd, bytes, count, flags)
FAULTY(READ, ssize_t, -1, recvfrom,
       (int fd, void *bytes, size_t count, int flags, struct sockaddr *from, socklen_t *long_), fd, bytes,
       count, flags, from, long_)
FAULTY(READ, ssize_t, -1, process_vm_readv,
       (pid_t pid, const struct iovec *to, unsigned long many, const struct iovec *from, unsigned long most,
        unsigned long flags),
       pid, to, many, from, most, flags)
FAULTY(WRITE, int, -1, ftruncate, (int fd, off_t bytes), fd, bytes)
FAULTY(WRITE, int, fault.error, posix_fallocate, (int fd, off_t offset, off_t bytes), fd, offset, bytes)

FAULTY(SYNC, int, -1, fsync, (int fd), fd)
FAULTY(SYNC, int, -1, fdatasync, (int fd), fd)
FAULTY(RENAME, int, -1, rename, (const char *from, const char *to), from, to)
FAULTY(RENAME, int, -1, renameat2, (int at, const char *from, int at2, const char *to, unsigned flags), at,
       from, at2, to, flags)
FAULTY(RENAME, int, -1, link, (const char *from, const char *to), from, to)
FAULTY(RENAME, int, -1, linkat, (int at, const char *from, int at2, const char *to, int flags), at, from, at2,
       to, flags)
FAULTY(RENAME, int, -1, mkdir, (const char *path, mode_t mode), path, mode)

FAULTY(SOCKET, int, -1, socket, (int domain, int type, int protocol), domain, type, protocol)
FAULTY(SOCKET, int, -1, socketpair, (int domain, int type, int protocol, int ends[2]), domain, type, protocol,
       ends)
FAULTY(SOCKET, int, -1, bind, (int fd, const struct sockaddr *at, socklen_t bytes), fd, at, bytes)
FAULTY(SOCKET, int, -1, listen, (int fd, int many), fd, many)
FAULTY(SOCKET, int, -1, connect, (int fd, const struct sockaddr *to, socklen_t bytes), fd, to, bytes)
FAULTY(SOCKET, int, -1, accept4, (int fd, struct sockaddr *from, socklen_t *bytes, int flags), fd, from,
       bytes, flags)
FAULTY(SOCKET, int, -1, setsockopt, (int fd, int level, int name, const void *value, socklen_t bytes), fd,
       level, name, value, bytes)
FAULTY(SOCKET, int, EAI_SYSTEM, getaddrinfo,
       (const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **found), host,
       port, hints, found)

FAULTY(THREAD, int, fault.error, pthread_create,
       (pthread_t * thread, const pthread_attr_t *attributes, void *(*body)(void *), void *self), thread,
       attributes, body, self)
FAULTY(THREAD, pid_t, -1, fork, (void), )
FAULTY(THREAD, int, fault.error, posix_spawnp,
       (pid_t * pid, const char *file, const posix_spawn_file_actions_t *actions,
        const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]),
       pid, file, actions, attributes, arguments, environment)

FAULTY(DESCRIPTOR, int, -1, pipe, (int ends[2]), ends)
FAULTY(DESCRIPTOR, int, -1, pipe2, (int ends[2], int flags), ends, flags)
FAULTY(DESCRIPTOR, int, -1, eventfd, (unsigned value, int flags), value, flags)
FAULTY(DESCRIPTOR, int, -1, epoll_create1, (int flags), flags)
FAULTY(DESCRIPTOR, int, -1, memfd_create, (const char *name, unsigned flags), name, flags)
FAULTY(DESCRIPTOR, int, -1, dup, (int fd), fd)
FAULTY(DESCRIPTOR, int, -1, dup2, (int fd, int to), fd, to)

FAULTY(WAIT, int, -1, poll, (struct pollfd * fds, nfds_t count, int ms), fds, count, ms)
FAULTY(WAIT, int, -1, ppoll,
       (struct pollfd * fds, nfds_t count, const struct timespec *time, const sigset_t *mask), fds, count,
       time, mask)
FAULTY(WAIT, int, -1, epoll_wait, (int fd, struct epoll_event *events, int most, int ms), fd, events, most,
       ms)
FAULTY(WAIT, pid_t, -1, waitpid, (pid_t pid, int *status, int options), pid, status, options)

FAULTY(OTHER, int, -1, fstat, (int fd, struct stat *st), fd, st)
FAULTY(OTHER, int, -1, stat, (const char *path, struct stat *st), path, st)
FAULTY(OTHER, int, -1, lstat, (const char *path, struct stat *st), path, st)

FAULTY(OPEN, int, -1, mkostemp, (char *path, int flags), path, flags)
FAULTY(OPEN, char *, NULL, mkdtemp, (char *path), path)
FAULTY(OPEN, DIR *, NULL, opendir, (const char *path), path)
FAULTY(OPEN, DIR *, NULL, fdopendir, (int fd), fd)

/* These have an argument that may not be there. */
__attribute__((visibility("default"))) int openat(int at, const char *path, int flags, ...)
{
    static int (*real)(int at, const char *path, int flags, ...);
    if (!real)
        *(void **)(void *)&real = dlsym(RTLD_NEXT, "openat");
    __builtin_va_list more;
    __builtin_va_start(more, flags);
    unsigned mode = flags & (O_CREAT | O_TMPFILE) ? __builtin_va_arg(more, unsigned) : 0;
    __builtin_va_end(more);
    return fails(OPEN, "openat", __builtin_return_address(0)) ? -1 : real(at, path, flags, mode);
}

__attribute__((visibility("default"))) int open(const char *path, int flags, ...)
{
    static int (*real)(const char *path, int flags, ...);
    if (!real)
        *(void **)(void *)&real = dlsym(RTLD_NEXT, "open");
    __builtin_va_list more;
    __builtin_va_start(more, flags);
    unsigned mode = flags & (O_CREAT | O_TMPFILE) ? __builtin_va_arg(more, unsigned) : 0;
    __builtin_va_end(more);
    return fails(OPEN, "open", __builtin_return_address(0)) ? -1 : real(path, flags, mode);
}

/* ---- streams */

static int descriptor(void *cookie)
{
    return (int)(intptr_t)cookie;
}

/* Signals do not interrupt streams here: handlers of our programs let calls go on. */
static ssize_t stream_read(void *cookie, char *bytes, size_t count)
{
    ssize_t n;
    while ((n = read(descriptor(cookie), bytes, count)) < 0 && errno == EINTR) {
    }
    return n;
}

/* The C library takes a short write for an error, where a stream of its own writes the rest. */
static ssize_t stream_write(void *cookie, const char *bytes, size_t count)
{
    size_t done = 0;
    while (done < count) {
        ssize_t n = write(descriptor(cookie), bytes + done, count - done);
        if (n < 0 && errno != EINTR)
            return done ? (ssize_t)done : 0;
        done += n < 0 ? 0 : (size_t)n;
    }
    return (ssize_t)done;
}

static int stream_seek(void *cookie, off64_t *offset, int whence)
{
    const off_t at = lseek(descriptor(cookie), *offset, whence);
    *offset = at;
    return at < 0 ? -1 : 0;
}

static int stream_close(void *cookie)
{
    return close(descriptor(cookie));
}

static FILE *stream(int fd, const char *mode)
{
    inside = true; /* callers have counted it */
    FILE *f = fopencookie((void *)(intptr_t)fd, mode,
                          (cookie_io_functions_t){stream_read, stream_write, stream_seek, stream_close});
    inside = false;
    if (f)
        f->_fileno = fd; /* for fileno() */
    return f;
}

static int open_flags(const char *mode)
{
    int flags = strchr(mode, '+') ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY;
    flags |= *mode == 'r' ? 0 : O_CREAT | (*mode == 'a' ? O_APPEND : O_TRUNC);
    return flags | (strchr(mode, 'x') ? O_EXCL : 0) | (strchr(mode, 'e') ? O_CLOEXEC : 0);
}

REPLACED(FILE *, fopen, (const char *path, const char *mode), {
    const void *caller = __builtin_return_address(0);
    if (!runs || !is_counted(caller))
        return real(path, mode);
    if (fails(OPEN, "fopen", caller) || fails(MEMORY, "fopen", caller))
        return NULL;
    inside = true; /* open() is not counted again */
    const int fd = open(path, open_flags(mode), 0666);
    inside = false;
    FILE *f = fd < 0 ? NULL : stream(fd, mode);
    if (fd >= 0 && !f)
        close(fd);
    return f;
})
REPLACED(FILE *, fdopen, (int fd, const char *mode), {
    const void *caller = __builtin_return_address(0);
    if (!runs || !is_counted(caller))
        return real(fd, mode);
    return fails(MEMORY, "fdopen", caller) ? NULL : stream(fd, mode);
})
