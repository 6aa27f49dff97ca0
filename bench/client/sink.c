#include "bench/client/sink.h"
#include "host/wire/hello.h"
#include "host/wire/pack.h"
#include "host/wire/releases.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define QUIET_MS 10000

static ssize_t receive(int fd, void *to, size_t bytes)
{
    struct pollfd wait = {fd, POLLIN, 0};
    return poll(&wait, 1, QUIET_MS) == 1 ? recv(fd, to, bytes, 0) : -1;
}

/* Says hello and reads the welcome. */
static int greet(int port, const struct td_wire_release *release)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    uint8_t bytes[2048];
    int fd = -1;
    for (int tries = 0; tries < 100; tries++) {
        fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof at) == 0)
            break;
        close(fd);
        fd = -1;
        poll(NULL, 0, 50);
    }
    if (fd < 0)
        return -1;
    size_t have = 0, want = 1 + release->welcome_bytes;
    td_wire_put_hello(bytes, release->protocol);
    if (send(fd, bytes, TD_WIRE_HELLO_BYTES, MSG_NOSIGNAL) != TD_WIRE_HELLO_BYTES)
        want = 0;
    while (have < want) {
        ssize_t n = receive(fd, bytes + have, want - have);
        if (n <= 0)
            break;
        have += (size_t)n;
    }
    if (have == want && want && bytes[0] == TD_WIRE_STATUS_WELCOME)
        return fd;
    close(fd);
    return -1;
}

/* Zones that end in the frame, -1: it makes no sense. */
static int64_t count_zones(const struct td_wire_release *release, const uint8_t *frame, size_t bytes)
{
    struct td_wire_view view;
    size_t at = 0;
    int64_t zones = 0;
    int more;
    while ((more = td_wire_next(release, frame, bytes, &at, &view, NULL)) == 1)
        zones += view.item == TD_ITEM_ZoneEnd;
    return more == 0 ? zones : -1;
}

static int64_t take(int fd, uint64_t zones, const struct td_wire_release *release,
                    struct td_unpacker *unpacker)
{
    int64_t all = 0;
    uint64_t seen = 0;
    while (seen < zones) {
        uint8_t *at;
        const uint8_t *frame;
        size_t room = td_unpacker_room(unpacker, &at);
        ssize_t n = receive(fd, at, room);
        if (n <= 0)
            return -1;
        all += n;
        td_unpacker_fed(unpacker, (size_t)n);
        int bytes;
        while ((bytes = td_unpacker_next(unpacker, &frame, NULL)) > 0) {
            int64_t more = count_zones(release, frame, (size_t)bytes);
            if (more < 0)
                return -1;
            seen += (uint64_t)more;
        }
        if (bytes < 0)
            return -1;
    }
    return seen == zones ? all : -1;
}

int64_t sink_take(int port, uint64_t zones, int *fd)
{
    const struct td_wire_release *release = &td_wire_69;
    struct td_unpacker *unpacker = td_unpacker_create();
    int64_t bytes = -1;
    *fd = unpacker ? greet(port, release) : -1;
    if (*fd >= 0)
        bytes = take(*fd, zones, release, unpacker);
    td_unpacker_destroy(unpacker);
    return bytes;
}
