#include "host/agent/client/announced_clients.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TAKE_MAX 256 /* datagrams in one call */

struct td_announced_list {
    int fd; /* -1: none */
    td_announced_report *report;
    void *self;
    uint64_t sequence, refused;
    size_t count;
    struct td_announced_client all[TD_ANNOUNCED_MAX];
};

struct td_announced_list *td_announced_list_create(td_announced_report *report, void *self)
{
    struct td_announced_list *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->fd = -1;
    a->report = report;
    a->self = self;
    return a;
}

struct td_announced_list *td_announced_open(int port, td_announced_report *report, void *self,
                                            struct td_err *err)
{
    struct td_announced_list *a = td_announced_list_create(report, self);
    if (!a) {
        td_fail_no_memory(err, "for the list of programs");
        return NULL;
    }
    port = port ? port : TD_WIRE_PORT;
    struct sockaddr_in here = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_ANY)};
    int yes = 1;
    a->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (a->fd >= 0 && setsockopt(a->fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
        bind(a->fd, (struct sockaddr *)&here, sizeof here) == 0)
        return a;
    td_fail_errno(err, "cannot listen for announcements at UDP port %d", port);
    td_announced_close(a);
    return NULL;
}

void td_announced_close(struct td_announced_list *a)
{
    if (a && a->fd >= 0)
        close(a->fd);
    free(a);
}

int td_announced_fd(const struct td_announced_list *a)
{
    return a->fd;
}

/* ---- the list ---- */

static void report_client(struct td_announced_list *a, enum td_announced_change change,
                          const struct td_announced_client *client)
{
    static const char *const words[] = {"announces itself", "has changed", "is gone"};
    td_debug(client, "%s:%u: '%s' (process %llu, protocol %u) %s", client->host, client->port,
             client->program, (unsigned long long)client->pid, client->protocol, words[change]);
    if (a->report)
        a->report(a->self, change, client);
}

static void remove_client(struct td_announced_list *a, size_t index)
{
    struct td_announced_client gone = a->all[index];
    a->count--;
    memmove(a->all + index, a->all + index + 1, (a->count - index) * sizeof *a->all);
    report_client(a, TD_ANNOUNCED_GONE, &gone);
}

static size_t find_client(const struct td_announced_list *a, uint32_t ipv4, uint16_t port)
{
    size_t i = 0;
    while (i < a->count && !(a->all[i].ipv4 == ipv4 && a->all[i].port == port))
        i++;
    return i;
}

static void add_client(struct td_announced_list *a, const struct td_announced_client *client)
{
    if (a->count == TD_ANNOUNCED_MAX) {
        a->refused++;
        return;
    }
    struct td_announced_client *added = &a->all[a->count++];
    *added = *client;
    added->begin_ms = client->heard_ms;
    added->sequence = ++a->sequence;
    report_client(a, TD_ANNOUNCED_NEW, added);
}

void td_announced_datagram(struct td_announced_list *a, const uint8_t *bytes, size_t count, uint32_t ipv4,
                           int64_t now_ms)
{
    struct td_wire_broadcast message;
    if (td_wire_get_broadcast(bytes, count, &message) != 0 || !message.listenPort)
        return;
    size_t index = find_client(a, ipv4, message.listenPort);
    if (message.activeTime < 0) { /* it ends, or serves a recorder */
        if (index < a->count)
            remove_client(a, index);
        return;
    }
    struct td_announced_client client = {.ipv4 = ipv4,
                                         .port = message.listenPort,
                                         .protocol = message.protocolVersion,
                                         .pid = message.pid,
                                         .active_s = message.activeTime,
                                         .heard_ms = now_ms};
    const struct in_addr address = {htonl(ipv4)};
    inet_ntop(AF_INET, &address, client.host, sizeof client.host);
    memcpy(client.program, message.programName, strnlen(message.programName, sizeof client.program - 1));
    if (index == a->count) {
        add_client(a, &client);
        return;
    }
    struct td_announced_client *known = &a->all[index];
    bool is_same = known->pid == client.pid && known->protocol == client.protocol &&
                   !strcmp(known->program, client.program);
    client.begin_ms = is_same ? known->begin_ms : now_ms;
    client.sequence = is_same ? known->sequence : ++a->sequence;
    *known = client;
    if (!is_same)
        report_client(a, TD_ANNOUNCED_CHANGED, known);
}

int td_announced_take(struct td_announced_list *a, int64_t now_ms, struct td_err *err)
{
    uint8_t bytes[512];
    for (int i = 0; i < TAKE_MAX; i++) {
        struct sockaddr_in from = {0};
        socklen_t from_bytes = sizeof from;
        ssize_t n = recvfrom(a->fd, bytes, sizeof bytes, MSG_DONTWAIT | MSG_TRUNC, (struct sockaddr *)&from,
                             &from_bytes);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            break;
        if (n < 0)
            return td_fail_errno(err, "cannot receive announcements");
        if (from.sin_family == AF_INET && (size_t)n <= sizeof bytes)
            td_announced_datagram(a, bytes, (size_t)n, ntohl(from.sin_addr.s_addr), now_ms);
    }
    for (size_t i = a->count; i-- > 0;)
        if (now_ms - a->all[i].heard_ms > TD_ANNOUNCED_LOST_MS)
            remove_client(a, i);
    return 0;
}

int td_announced_wait_ms(const struct td_announced_list *a, int64_t now_ms)
{
    int64_t least = -1;
    for (size_t i = 0; i < a->count; i++) {
        int64_t left = a->all[i].heard_ms + TD_ANNOUNCED_LOST_MS + 1 - now_ms;
        left = left < 0 ? 0 : left;
        least = least < 0 || left < least ? left : least;
    }
    return (int)least;
}

size_t td_announced_count(const struct td_announced_list *a)
{
    return a->count;
}

const struct td_announced_client *td_announced_at(const struct td_announced_list *a, size_t index)
{
    return &a->all[index];
}

uint64_t td_announced_refused(const struct td_announced_list *a)
{
    return a->refused;
}

const char *td_announced_releases(uint32_t protocol)
{
    /* The releases that share a protocol; the table of releases has the last one of each. */
    static const struct {
        uint32_t protocol;
        const char *releases;
    } shared[] = {
        {63, "0.9.0, 0.9.1"}, {66, "0.11.0 or the fork"}, {74, "0.12.0 to 0.12.2"}, {76, "0.13.0, 0.13.1"}};
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (shared[i].protocol == protocol)
            return shared[i].releases;
    const struct td_wire_release *release = td_wire_release_for(protocol);
    return release ? release->tracy : "unknown";
}
