/* Connects to a program's client, again and again until the program listens. Not thread-safe. */
#ifndef TD_HOST_AGENT_CLIENT_CLIENT_DIAL_H
#define TD_HOST_AGENT_CLIENT_CLIENT_DIAL_H
#include "host/base/err.h"

#include <stdint.h>
#include <sys/socket.h>

#define TD_CLIENT_DIAL_MS 20 /* from one try to the next */

struct td_client_dial {
    /* On this machine there are two, of IPv4 and of IPv6: a program may listen on one of them only. */
    struct sockaddr_storage address[2];
    socklen_t address_bytes[2];
    int at; /* which address is tried */
    int64_t retry_ms;
    char where[160]; /* HOST:PORT, for messages */
};

/* host NULL: this machine; port 0: the default one of clients. 0, or TD_E_NOTFOUND. */
int td_client_dial_look_up(struct td_client_dial *dial, const char *host, int port, struct td_err *err);
/* Goes on connecting, without waiting. *fd is the socket of the current try, or -1; the caller closes it.
 * 1: *fd is connected; 0: not yet, call again; else an error of this machine. */
int td_client_dial_try(struct td_client_dial *dial, int *fd, int64_t now_ms, struct td_err *err);
#endif
