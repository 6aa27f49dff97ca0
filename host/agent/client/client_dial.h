/* Connects to a program's client; tries again until the program listens. Not thread-safe. */
#pragma once
#include "host/base/err.h"

#include <stdint.h>
#include <sys/socket.h>

#define TD_CLIENT_DIAL_MS 20 /* between two attempts */

struct td_client_dial {
    /* This machine has two addresses, IPv4 and IPv6: a program may listen at only one of them. */
    struct sockaddr_storage address[2];
    socklen_t address_bytes[2];
    int at; /* the address of the current attempt */
    int64_t retry_ms;
    char where[160]; /* HOST:PORT, for messages */
};

/* Looks the host up. host NULL: this machine; port 0: TD_WIRE_PORT. 0 or TD_E_NOTFOUND. */
int td_client_dial_look_up(struct td_client_dial *dial, const char *host, int port, struct td_err *err);
/* Continues to connect, without waiting. *fd is the socket of the current attempt, or -1; the caller closes
 * it. 1: *fd is connected; 0: not yet, call again; negative: an error of this machine. */
int td_client_dial_try(struct td_client_dial *dial, int *fd, int64_t now_ms, struct td_err *err);
