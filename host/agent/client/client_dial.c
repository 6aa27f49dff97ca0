#include "host/agent/client/client_dial.h"
#include "host/base/debug_log.h"
#include "proto/wire/items.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* If the IPv4 address is this machine's, adds its IPv6 address. */
static void add_own_v6(struct td_client_dial *dial, int port)
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)&dial->address[0];
    if (dial->address_bytes[1] || v4->sin_family != AF_INET || v4->sin_addr.s_addr != htonl(INADDR_LOOPBACK))
        return;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&dial->address[1];
    *v6 = (struct sockaddr_in6){
        .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port), .sin6_addr = in6addr_loopback};
    dial->address_bytes[1] = sizeof *v6;
}

int td_client_dial_look_up(struct td_client_dial *dial, const char *host, int port, struct td_err *err)
{
    char service[16];
    host = host ? host : "127.0.0.1";
    port = port ? port : TD_WIRE_PORT;
    snprintf(service, sizeof service, "%d", port);
    snprintf(dial->where, sizeof dial->where, "%.120s:%d", host, port);
    struct addrinfo want = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    int bad = getaddrinfo(host, service, &want, &found);
    if (bad)
        return td_fail(err, TD_E_NOTFOUND, "cannot find the host of the program at %s: %s", dial->where,
                       gai_strerror(bad));
    for (struct addrinfo *one = found; one; one = one->ai_next) {
        int which = one == found ? 0 : 1;
        memcpy(&dial->address[which], one->ai_addr, one->ai_addrlen);
        dial->address_bytes[which] = one->ai_addrlen;
    }
    add_own_v6(dial, port);
    freeaddrinfo(found);
    return 0;
}

/* No program listens: tries the other address next, or both again after a while. */
static void try_later(struct td_client_dial *dial, int *fd, int64_t now_ms)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    dial->at = !dial->at && dial->address_bytes[1];
    dial->retry_ms = now_ms + (dial->at ? 0 : TD_CLIENT_DIAL_MS);
}

/* False: not yet, or refused. */
static bool is_connected(struct td_client_dial *dial, int *fd, int64_t now_ms)
{
    struct pollfd one = {*fd, POLLOUT, 0};
    int bad = 0;
    socklen_t bytes = sizeof bad;
    if (poll(&one, 1, 0) <= 0)
        return 0;
    getsockopt(*fd, SOL_SOCKET, SO_ERROR, &bad, &bytes);
    if (bad)
        td_debug(client, "%s%s: %s", dial->where, dial->at ? " (IPv6)" : "", strerror(bad));
    if (bad)
        try_later(dial, fd, now_ms);
    return !bad;
}

int td_client_dial_try(struct td_client_dial *dial, int *fd, int64_t now_ms, struct td_err *err)
{
    if (*fd >= 0 && is_connected(dial, fd, now_ms))
        return 1;
    if (*fd >= 0 || now_ms < dial->retry_ms)
        return 0;
    *fd = socket(dial->address[dial->at].ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*fd < 0 && dial->at) { /* a machine without IPv6 */
        dial->address_bytes[1] = 0;
        dial->at = 0;
        return 0;
    }
    if (*fd < 0)
        return td_fail_errno(err, "cannot make a socket");
    int yes = 1;
    setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (connect(*fd, (struct sockaddr *)&dial->address[dial->at], dial->address_bytes[dial->at]) == 0)
        return 1;
    if (errno != EINPROGRESS)
        td_debug(client, "%s%s: %s", dial->where, dial->at ? " (IPv6)" : "", strerror(errno));
    if (errno != EINPROGRESS)
        try_later(dial, fd, now_ms);
    return 0;
}
