#include "host/client/session/listen.h"
#include "host/base/err.h"
#include "host/base/socket_port.h"
#include "host/client/platform/settings.h"
#include "host/client/queue/names.h"
#include "host/client/session/register.h"
#include "host/wire/hello.h"
#include "host/wire/releases.h"

#include <stdbool.h>
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

/* Whether other machines may connect. Every peer that reaches the port gets the trace, so they may only if
 * a setting says so. */
static bool is_open_to_all(void)
{
    if (td_setting_value(TD_SETTING_ONLY_LOCALHOST))
        return 0;
    return td_setting_value(TD_SETTING_LISTEN_ANY) || td_setting_value(TD_SETTING_LISTEN);
}

/* A listening socket, or TD_E_IO: errno says why. */
static int bind_to(int family, const void *address, socklen_t bytes)
{
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return TD_E_IO;
    int yes = 1, no = 0;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    if (bind(fd, address, bytes) == 0 && listen(fd, 4) == 0)
        return fd;
    int why = errno;
    close(fd);
    errno = why;
    return TD_E_IO;
}

static int bind_one(int want)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6,
                               .sin6_port = htons((uint16_t)want),
                               .sin6_addr = is_open_to_all() ? in6addr_any : in6addr_loopback};
    int only_four = td_setting_value(TD_SETTING_ONLY_IPV4);
    if (is_open_to_all() && !only_four) {
        int fd = bind_to(AF_INET6, &six, sizeof six);
        if (fd >= 0)
            return fd;
    }
    struct sockaddr_in four = {.sin_family = AF_INET,
                               .sin_port = htons((uint16_t)want),
                               .sin_addr.s_addr = htonl(is_open_to_all() ? INADDR_ANY : INADDR_LOOPBACK)};
    int fd = bind_to(AF_INET, &four, sizeof four);
    if (fd >= 0 || is_open_to_all() || only_four || errno == EADDRINUSE)
        return fd;
    return bind_to(AF_INET6, &six, sizeof six); /* a machine without IPv4 */
}

static int fixed_port(void)
{
    int port = td_setting_variable(TD_SETTING_PORT);
    if (!port)
        port = td_setting_value(TD_SETTING_DATA_PORT);
    return port ? port : td_setting_value(TD_SETTING_PORT);
}

/* The recorder has given its port to several programs, and this is not the first one: listens at another
 * port and registers it. */
static int listen_elsewhere(int *port)
{
    int fd = td_register_is_possible() ? bind_one(0) : TD_E_IO;
    if (fd < 0)
        return fd;
    int bound = td_socket_port(fd);
    if (!bound) {
        close(fd);
        return TD_E_IO;
    }
    *port = bound;
    td_register_port(bound);
    return fd;
}

/* The program runs as ever, but nobody can record it. */
static void warn_no_port(int port, int why)
{
    char line[200];
    const int bytes =
        snprintf(line, sizeof line, "tendril: no recorder can connect: port %d (TRACY_PORT) is %s\n", port,
                 why == EADDRINUSE ? "taken" : "not allowed");
    if (write(STDERR_FILENO, line, (size_t)bytes) < 0)
        return; /* no standard error: no warning */
}

int td_listen_open(int *port)
{
    int fixed = fixed_port(), first = fixed ? fixed : TD_WIRE_PORT, count = fixed ? 1 : TD_WIRE_PORTS;
    for (int i = 0; i < count && first + i < 65536; i++) {
        int fd = bind_one(first + i);
        if (fd >= 0) {
            *port = first + i;
            return fd;
        }
    }
    const int why = errno, fd = fixed ? listen_elsewhere(port) : TD_E_IO;
    if (fixed && fd < 0)
        warn_no_port(fixed, why);
    return fd;
}

static struct sockaddr_in announce_to(void)
{
    int port = td_setting_value(TD_SETTING_BROADCAST_PORT);
    if (!port)
        port = td_setting_built(TD_SETTING_PORT);
    struct sockaddr_in to = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)(port ? port : TD_WIRE_PORT)),
        .sin_addr.s_addr = htonl(is_open_to_all() ? INADDR_BROADCAST : UINT32_C(0x7fffffff)),
    };
    const char *address = td_setting_text(TD_SETTING_CLIENT_ADDRESS);
    if (address)
        inet_pton(AF_INET, address, &to.sin_addr);
    return to;
}

void td_listen_announce(int port, int seconds)
{
    if (td_setting_value(TD_SETTING_NO_BROADCAST))
        return;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    int yes = 1;
    setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &yes, sizeof yes);
    struct td_wire_broadcast message = {.broadcastVersion = TD_WIRE_BROADCAST_VERSION,
                                        .listenPort = (uint16_t)port,
                                        .protocolVersion = (uint32_t)td_setting_value(TD_SETTING_ANNOUNCE),
                                        .pid = (uint64_t)getpid(),
                                        .activeTime = seconds};
    td_client_program_name(message.programName, sizeof message.programName);
    uint8_t bytes[sizeof message];
    size_t count = td_wire_put_broadcast(bytes, &message);
    struct sockaddr_in to = announce_to();
    sendto(fd, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&to, sizeof to);
    close(fd);
}
