/* Whole messages over a stream socket that blocks. */
#pragma once
#include "host/base/err.h"

#include <errno.h>
#include <sys/socket.h>

/* TD_E_GONE: the other end has closed the connection. TD_E_TIMEOUT: it let the socket's time pass. */
static inline int td_socket_rest(ssize_t n, char **at, size_t *bytes)
{
    if (n < 0 && errno == EINTR)
        return TD_OK;
    if (n <= 0)
        return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? TD_E_TIMEOUT : TD_E_GONE;
    *at += n;
    *bytes -= (size_t)n;
    return TD_OK;
}

static inline int td_receive_all(int fd, void *to, size_t bytes)
{
    int rc = TD_OK;
    for (char *at = to; rc == 0 && bytes;)
        rc = td_socket_rest(recv(fd, at, bytes, 0), &at, &bytes);
    return rc;
}

/* more: another part of the message follows. */
static inline int td_send_all(int fd, const void *from, size_t bytes, int more)
{
    int rc = TD_OK;
    for (char *at = (char *)(uintptr_t)from; rc == 0 && bytes;)
        rc = td_socket_rest(send(fd, at, bytes, MSG_NOSIGNAL | (more ? MSG_MORE : 0)), &at, &bytes);
    return rc;
}
