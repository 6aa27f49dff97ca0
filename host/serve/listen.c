#include "host/serve/listen.h"
#include "host/base/plain_text.h"
#include "host/base/socket_port.h"
#include "host/wire/hello.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LOCAL   "127.0.0.1"
#define BACKLOG 64

static int fail_where(struct td_err *err, const char *where)
{
    return td_fail(err, TD_E_USAGE,
                   "'%s' is not [ADDRESS:]PORT; for example 8087, any:8087, 192.168.1.7:8087", where);
}

/* Splits "[ADDRESS:]PORT"; the address is LOCAL if there is none. 0 or TD_E_USAGE. */
static int parse_where(const char *where, char *address, size_t room, int *port, struct td_err *err)
{
    const char *colon = strrchr(where, ':'), *digits = colon ? colon + 1 : where;
    size_t bytes = colon ? (size_t)(colon - where) : 0;
    char *end;
    const char *from = where;
    if (bytes > 2 && where[0] == '[' && where[bytes - 1] == ']') { /* an address of IPv6 */
        from++;
        bytes -= 2;
    }
    errno = 0;
    long number = strtol(digits, &end, 10);
    if (end == digits || *end || errno || number < 0 || number > UINT16_MAX || *digits == '+' ||
        *digits == ' ' || bytes >= room || (colon && !bytes))
        return fail_where(err, where);
    memcpy(address, from, bytes);
    address[bytes] = 0;
    if (!bytes)
        snprintf(address, room, "%s", LOCAL);
    *port = (int)number;
    return 0;
}

static int bind_socket(const struct addrinfo *to)
{
    int fd = socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int yes = 1, no = 0;
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (to->ai_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    if (bind(fd, to->ai_addr, to->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    int why = errno;
    close(fd);
    errno = why;
    return -1;
}

/* With REUSEADDR two sockets can be bound to a port as long as neither listens: so this one listens at once, and
 * early viewers wait until they are accepted. */
int td_listener_open(struct td_listener *listener, const char *where, struct td_err *err)
{
    char address[256], port_text[8];
    int port = 0;
    *listener = (struct td_listener){.fd = -1};
    if (parse_where(where, address, sizeof address, &port, err) < 0)
        return err->code;
    bool any = !strcmp(address, "any") || !strcmp(address, "*");
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = any ? AI_PASSIVE : 0}, *found = NULL;
    snprintf(port_text, sizeof port_text, "%d", port);
    int bad = getaddrinfo(any ? NULL : address, port_text, &hints, &found);
    if (bad)
        return td_fail(err, TD_E_NOTFOUND, "no address of this machine to serve at: %s: %s", address,
                       gai_strerror(bad));
    for (const struct addrinfo *a = found; a && listener->fd < 0; a = a->ai_next)
        if (!any || a->ai_family == AF_INET6 || !a->ai_next)
            listener->fd = bind_socket(a);
    for (const struct addrinfo *a = found; a && any && listener->fd < 0; a = a->ai_next)
        listener->fd = bind_socket(a);
    freeaddrinfo(found);
    if (listener->fd < 0)
        return td_fail_errno(err, "cannot serve at %s port %d", address, port);
    listener->port = td_socket_port(listener->fd);
    listener->is_open_to_all = any || strcmp(address, LOCAL) != 0;
    snprintf(listener->where, sizeof listener->where, "%s:%d", address, listener->port);
    return 0;
}

void td_listener_close(struct td_listener *listener)
{
    if (listener->fd >= 0)
        close(listener->fd);
    listener->fd = -1;
}

/* Viewers of one release show programs that announce its protocol; they can connect to all. */
static uint32_t announced_protocol(void)
{
    const char *wanted = getenv("TENDRIL_ANNOUNCE");
    long protocol = wanted ? strtol(wanted, NULL, 10) : 0;
    return protocol > 0 && protocol < INT32_MAX ? (uint32_t)protocol : td_wire_69.protocol;
}

void td_listener_announce(const struct td_listener *listener, const char *program, uint64_t pid, int seconds)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    int yes = 1;
    setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &yes, sizeof yes);
    struct td_wire_broadcast message = {.broadcastVersion = TD_WIRE_BROADCAST_VERSION,
                                        .listenPort = (uint16_t)listener->port,
                                        .protocolVersion = announced_protocol(),
                                        .pid = pid,
                                        .activeTime = seconds};
    if (program)
        snprintf(message.programName, sizeof message.programName, "%s", program);
    uint8_t bytes[sizeof message];
    size_t count = td_wire_put_broadcast(bytes, &message);
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(TD_WIRE_PORT),
                             .sin_addr.s_addr =
                                 htonl(listener->is_open_to_all ? INADDR_BROADCAST : UINT32_C(0x7fffffff))};
    sendto(fd, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&to, sizeof to);
    close(fd);
}
