#include "host/transport/link/socket.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/base/socket_port.h"
#include "host/transport/link.h"
#include "host/transport/link/stream.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define FULL_MS    20
#define RETRY_NS   20000000
#define CONNECT_MS 3000 /* one attempt, if the other machine does not answer */

/* Splits "HOST:PORT". With optional_host, "PORT" alone leaves host empty. 0, or TD_E_FORMAT. */
static int split_host(const char *where, char *host, size_t host_bytes, const char **port, int optional_host)
{
    const char *colon = strrchr(where, ':');
    size_t length = colon ? (size_t)(colon - where) : 0;
    *port = colon ? colon + 1 : where;
    if (length && where[0] == '[' && where[length - 1] == ']') {
        where++;
        length -= 2;
    }
    if ((!length && !optional_host) || length >= host_bytes || !**port ||
        strspn(*port, "0123456789") != strlen(*port) || strtoul(*port, NULL, 10) > UINT16_MAX)
        return TD_E_FORMAT; /* getaddrinfo would take the port modulo 65536 */
    memcpy(host, where, length);
    host[length] = 0;
    return 0;
}

/* A connected descriptor, or TD_E_IO with errno. */
static int connect_to(int family, const struct sockaddr *to, socklen_t bytes)
{
    int error = 0;
    socklen_t error_bytes = sizeof error;
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return TD_E_IO;
    if (connect(fd, to, bytes) == 0)
        return fd;
    if (errno == EINPROGRESS) {
        struct pollfd p = {fd, POLLOUT, 0};
        if (poll(&p, 1, CONNECT_MS) <= 0)
            error = ETIMEDOUT;
        else
            getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &error_bytes);
        if (error == 0)
            return fd;
        errno = error;
    }
    error = errno;
    close(fd);
    errno = error;
    return TD_E_IO;
}

static int connect_tcp(const struct addrinfo *list)
{
    int fd = -1;
    for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next)
        fd = connect_to(a->ai_family, a->ai_addr, a->ai_addrlen);
    if (fd >= 0)
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    return fd;
}

static struct td_transport *open_link(int fd, const char *kind, const char *where, struct td_err *err)
{
    char name[120];
    snprintf(name, sizeof name, "%s:%s", kind, where);
    td_debug(line, "%s: connected", name);
    struct td_link *link = td_stream_link(fd, name, 0, err);
    return link ? td_remote_open(link, kind, err) : NULL;
}

static bool is_over(int64_t until_ns)
{
    if (td_mono_ns() >= until_ns)
        return true;
    nanosleep(&(struct timespec){0, RETRY_NS}, NULL);
    return false;
}

struct td_transport *td_tcp_open(const char *where, int wait_ms, struct td_err *err)
{
    char host[256];
    const char *port;
    struct addrinfo *list, hints = {.ai_socktype = SOCK_STREAM};
    const int64_t until = td_mono_ns() + (int64_t)wait_ms * 1000000;
    if (split_host(where, host, sizeof host, &port, 0)) {
        td_fail(err, TD_E_USAGE, "tcp:%s is not of the form tcp:HOST:PORT", where);
        return NULL;
    }
    int rc = getaddrinfo(host, port, &hints, &list);
    if (rc) {
        td_fail(err, TD_E_NOTFOUND, "tcp:%s: %s", where, gai_strerror(rc));
        return NULL;
    }
    int fd;
    while ((fd = connect_tcp(list)) < 0) {
        td_debug(line, "tcp:%s: %s", where, strerror(errno));
        if (is_over(until)) {
            td_fail(err, TD_E_NOTFOUND, "no probe listens at tcp:%s: %s", where, strerror(errno));
            break;
        }
    }
    freeaddrinfo(list);
    return fd < 0 ? NULL : open_link(fd, "tcp", where, err);
}

static int unix_address(const char *path, struct sockaddr_un *to, struct td_err *err)
{
    *to = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (!*path || strlen(path) >= sizeof to->sun_path)
        return td_fail(err, TD_E_USAGE, "unix:%s: a socket's path has 1 to %zu characters", path,
                       sizeof to->sun_path - 1);
    strcpy(to->sun_path, path);
    return 0;
}

struct td_transport *td_unix_open(const char *where, int wait_ms, struct td_err *err)
{
    struct sockaddr_un to;
    const int64_t until = td_mono_ns() + (int64_t)wait_ms * 1000000;
    int fd;
    if (unix_address(where, &to, err))
        return NULL;
    while ((fd = connect_to(AF_UNIX, (const struct sockaddr *)&to, sizeof to)) < 0) {
        td_debug(line, "unix:%s: %s", where, strerror(errno));
        if (is_over(until)) {
            td_fail(err, TD_E_NOTFOUND, "no probe listens at unix:%s: %s", where, strerror(errno));
            return NULL;
        }
    }
    return open_link(fd, "unix", where, err);
}

/* Takes ownership of fd. */
static int bind_and_listen(int fd, const struct sockaddr *at, socklen_t bytes, const char *kind,
                           const char *where, struct td_err *err)
{
    if (fd >= 0 && bind(fd, at, bytes) == 0 && listen(fd, 4) == 0)
        return fd;
    int rc = td_fail_errno(err, "cannot listen at %s:%s", kind, where);
    if (fd >= 0)
        close(fd);
    return rc;
}

int td_tcp_listen(const char *where, int *port, struct td_err *err)
{
    char host[256];
    const char *service;
    struct addrinfo *list, hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    if (split_host(where, host, sizeof host, &service, 1))
        return td_fail(err, TD_E_USAGE, "tcp:%s is not of the form tcp:[HOST:]PORT", where);
    int rc = getaddrinfo(host[0] ? host : "127.0.0.1", service, &hints, &list);
    if (rc)
        return td_fail(err, TD_E_NOTFOUND, "tcp:%s: %s", where, gai_strerror(rc));
    int fd = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    fd = bind_and_listen(fd, list->ai_addr, list->ai_addrlen, "tcp", where, err);
    freeaddrinfo(list);
    if (fd >= 0 && port) {
        int bound = td_socket_port(fd);
        if (bound)
            *port = bound;
    }
    return fd;
}

/* Removes a socket that no process listens at. Other files refuse connections too: they are kept. */
static void remove_left_over(const char *path)
{
    struct stat st;
    if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode) && st.st_uid == geteuid())
        unlink(path);
}

int td_unix_listen(const char *path, struct td_err *err)
{
    struct sockaddr_un at;
    int rc = unix_address(path, &at, err);
    if (rc)
        return rc;
    int there = connect_to(AF_UNIX, (const struct sockaddr *)&at, sizeof at);
    if (there >= 0) {
        close(there);
        return td_fail(err, TD_E_USAGE, "another process already listens at unix:%s", path);
    }
    td_debug(line, "unix:%s: %s; listening there", path, strerror(errno));
    if (errno == ECONNREFUSED)
        remove_left_over(path);
    return bind_and_listen(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0),
                           (const struct sockaddr *)&at, sizeof at, "unix", path, err);
}

int td_socket_accept(int listening)
{
    int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS))
        poll(NULL, 0, FULL_MS); /* the connection still waits, and the caller would ask again at once */
    if (fd >= 0)
        td_debug(line, "a connection was accepted");
    if (fd >= 0)
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int)); /* not for unix ones */
    return fd;
}
