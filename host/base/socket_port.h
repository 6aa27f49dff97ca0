/* Ports of Internet sockets. */
#pragma once
#include <netinet/in.h>
#include <sys/socket.h>

/* The port of an address; 0: of another family. */
static inline int td_sockaddr_port(const struct sockaddr_storage *at)
{
    if (at->ss_family == AF_INET)
        return ntohs(((const struct sockaddr_in *)at)->sin_port);
    return at->ss_family == AF_INET6 ? ntohs(((const struct sockaddr_in6 *)at)->sin6_port) : 0;
}

/* The port that a socket is bound to; 0: it is not known, or the socket is of another family. */
static inline int td_socket_port(int fd)
{
    struct sockaddr_storage at;
    socklen_t bytes = sizeof at;
    return getsockname(fd, (struct sockaddr *)&at, &bytes) == 0 ? td_sockaddr_port(&at) : 0;
}
