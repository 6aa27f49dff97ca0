/* Probes at the other end of a socket, and the sockets on which a probe waits for its host. */
#pragma once
#include "host/transport/transport.h"

/* HOST:PORT ([HOST]:PORT for numbers with colons), or a path. */
struct td_transport *td_tcp_open(const char *where, int wait_ms, struct td_err *err);
struct td_transport *td_unix_open(const char *where, int wait_ms, struct td_err *err);

/* A listening, non-blocking descriptor, or negative. tcp: [HOST:]PORT, without HOST on this machine only;
 * port 0: any; *port (may be NULL) = which. unix: a socket that no process listens at is replaced. */
int td_tcp_listen(const char *where, int *port, struct td_err *err);
int td_unix_listen(const char *path, struct td_err *err);
/* The next connection, or -1: there is none now. */
int td_socket_accept(int listening);
