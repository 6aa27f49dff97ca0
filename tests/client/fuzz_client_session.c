/* A peer that may be anything, against a live session in this process. Whatever it says and asks, it gets a
 * stream of sound items or is turned away, and the session ends.
 *
 * The first byte chooses the greeting: below 8 that of a release, 8 to 15 the same in two parts, from 16 on
 * the next 12 bytes are it. Then questions of 4 bytes follow: the query, what it is about (an address that
 * the session has told of), and a number: odd ones move the address, above 128 they are the question's other
 * part. Behind a query of 255 come 13 bytes that are sent as they are. */
#include "host/base/clock.h"
#include "host/wire/hello.h"
#include "host/wire/pack.h"
#include "host/wire/releases.h"
#include "tracy/TracyC.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Looking for leaks stops all threads at every input, the session's among them. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

#define QUERIES    512
#define ADDRESSES  256
#define PATIENCE_S 30

struct peer {
    int fd, closed;
    const struct td_wire_release *release;
    uint8_t out[32 + (QUERIES + 1) * TD_WIRE_QUERY_BYTES];
    size_t sent, count;
    uint8_t greeting[2048];
    size_t greeted, greeting_bytes; /* of what comes before the stream */
    struct td_unpacker *unpacker;
    uint64_t addresses[ADDRESSES];
    size_t known;
};

static int port;
static const char *const pool = "pool";

static void fail(const char *what)
{
    fprintf(stderr, "fuzz_client_session: %s\n", what);
    abort();
}

/* The socket stays open, so that no other process gets the port; the session's listener reuses addresses. */
static int a_port(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        bind(fd, (struct sockaddr *)&at, sizeof at) != 0 ||
        getsockname(fd, (struct sockaddr *)&at, &bytes) != 0)
        fail("no port");
    return ntohs(at.sin_port);
}

static void on_parameter(void *data, uint32_t idx, int32_t value)
{
    *(int32_t *)data = (int32_t)idx ^ value;
}

static char *on_source(void *data, const char *name, size_t *size)
{
    char *text = td_client_alloc(100);
    if (text)
        memset(text, name[0], 100);
    *size = text ? 100 : 0;
    return text;
}

static void begin(void)
{
    static int32_t last;
    char text[16];
    if (port)
        return;
    port = a_port();
    snprintf(text, sizeof text, "%d", port);
    setenv("TRACY_PORT", text, 1);
    setenv("TENDRIL_EXIT_WAIT_MS", "500", 1);
    ___tracy_startup_profiler();
    td_client_parameter_register(on_parameter, &last);
    td_client_source_register(on_source, NULL);
    td_client_parameter_setup(1, "parameter", 0, 5);
    TracyCAppInfo("about", 5);
}

/* Something of every kind. */
static void mark(void)
{
    static TracyCLockCtx lock;
    if (!lock) {
        TracyCLockAnnounce(lock);
        TracyCLockCustomName(lock, "lock", 4);
    }
    TracyCZoneNS(zone, "zone", 8, 1);
    TracyCZoneText(zone, "text", 4);
    TracyCZoneValue(zone, 7);
    TracyCLockBeforeLock(lock);
    TracyCLockAfterLock(lock);
    TracyCLockMark(lock);
    TracyCLockAfterUnlock(lock);
    TracyCMessageL("literal");
    TracyCMessageS("copied", 6, 3);
    TracyCPlotI("plot", 1);
    TracyCFrameMarkNamed("frame");
    TracyCFiberEnter("fiber");
    TracyCFiberLeave;
    TracyCAllocN((void *)pool, 4, pool);
    TracyCFreeN((void *)pool, pool);
    TracyCZoneEnd(zone);
}

static void dial(struct peer *peer)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (int i = 0;; i++) {
        peer->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connect(peer->fd, (struct sockaddr *)&at, sizeof at) == 0)
            break;
        close(peer->fd);
        if (i > PATIENCE_S * 100)
            fail("the client does not listen any more");
        poll(NULL, 0, 10);
    }
    fcntl(peer->fd, F_SETFL, O_NONBLOCK);
}

/* What the session announces can be asked about. */
static void learn(struct peer *peer, const struct td_wire_view *view)
{
    uint64_t address = 0;
    if (view->item == TD_ITEM_ZoneBegin || view->item == TD_ITEM_ZoneBeginCallstack)
        memcpy(&address, view->payload + 8, 8);
    else if (view->item == TD_ITEM_PlotDataInt || view->item == TD_ITEM_SourceLocation)
        memcpy(&address, view->payload, 8);
    else if (view->item == TD_ITEM_ThreadContext)
        memcpy(&address, view->payload, 4);
    else if (view->item == TD_ITEM_CallstackPayload && view->bytes >= 8)
        memcpy(&address, view->data, 8);
    else if (view->item == TD_ITEM_MessageLiteral || view->item == TD_ITEM_FrameMarkMsg)
        memcpy(&address, view->payload + 8, 8);
    else
        return;
    peer->addresses[peer->known++ % ADDRESSES] = address;
}

/* Takes what has come; every item must be one. */
static void take_frames(struct peer *peer)
{
    const uint8_t *frame;
    struct td_err err = {0};
    int bytes;
    while ((bytes = td_unpacker_next(peer->unpacker, &frame, &err)) > 0) {
        size_t at = 0;
        int more;
        struct td_wire_view view;
        while ((more = td_wire_next(peer->release, frame, (size_t)bytes, &at, &view, &err)) == 1)
            learn(peer, &view);
        if (more < 0)
            fail(err.text);
    }
    if (bytes < 0)
        fail(err.text);
}

/* A status, a welcome of that release, on-demand's message; else one status and the end. */
static size_t greeting_bytes(const struct peer *peer)
{
    if (!peer->greeted || peer->greeting[0] != TD_WIRE_STATUS_WELCOME)
        return 1;
    return 1 + peer->release->welcome_bytes + TD_WIRE_ONDEMAND_BYTES;
}

static void hear(struct peer *peer)
{
    while (!peer->closed) {
        uint8_t *at = peer->greeting + peer->greeted;
        size_t room = greeting_bytes(peer) - peer->greeted;
        if (!room)
            room = td_unpacker_room(peer->unpacker, &at);
        ssize_t n = recv(peer->fd, at, room, MSG_DONTWAIT);
        if (n < 0)
            return;
        peer->closed = n == 0;
        if (peer->greeted < greeting_bytes(peer)) {
            peer->greeted += (size_t)n;
            if (peer->greeted == 1 && peer->greeting[0] == TD_WIRE_STATUS_WELCOME && !peer->release)
                fail("a welcome without a handshake");
        } else {
            td_unpacker_fed(peer->unpacker, (size_t)n);
            take_frames(peer);
        }
    }
}

static void say(struct peer *peer)
{
    while (peer->sent < peer->count) {
        ssize_t n =
            send(peer->fd, peer->out + peer->sent, peer->count - peer->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n <= 0)
            return;
        peer->sent += (size_t)n;
    }
}

/* Sends what is ready and receives until the peer closes, or (not `all`) until everything was sent. */
static void talk(struct peer *peer, int all)
{
    int64_t until = td_mono_ns() + INT64_C(1000000000) * PATIENCE_S;
    while (!peer->closed && (all || peer->sent < peer->count)) {
        struct pollfd fd = {peer->fd, (short)(POLLIN | (peer->sent < peer->count ? POLLOUT : 0)), 0};
        poll(&fd, 1, 100);
        say(peer);
        hear(peer);
        if (td_mono_ns() > until)
            fail("the session does not end");
        if (fd.revents & (POLLERR | POLLHUP) && !(fd.revents & POLLIN))
            return;
    }
}

static size_t greet(struct peer *peer, const uint8_t *data, size_t size)
{
    unsigned how = size ? data[0] : 0;
    peer->count = TD_WIRE_HELLO_BYTES;
    if (how < 16) {
        peer->release = td_wire_release_at(how % 8) ? td_wire_release_at(how % 8) : td_wire_release_at(0);
        td_wire_put_hello(peer->out, peer->release->protocol);
        /* The fork's number is that of 0.11.0, too, which is what the client takes it for. */
        peer->release = td_wire_release_for(peer->release->protocol);
        if (how >= 8) {
            peer->count = 5;
            talk(peer, 0);
            peer->count = TD_WIRE_HELLO_BYTES;
        }
        return 1;
    }
    memset(peer->out, 0, TD_WIRE_HELLO_BYTES);
    size_t bytes = size - 1 < TD_WIRE_HELLO_BYTES ? size - 1 : TD_WIRE_HELLO_BYTES;
    memcpy(peer->out, data + 1, bytes);
    uint32_t protocol;
    if (td_wire_get_hello(peer->out, &protocol) == 0)
        peer->release = td_wire_release_for(protocol);
    return 1 + bytes;
}

static void put(struct peer *peer, const void *bytes)
{
    memcpy(peer->out + peer->count, bytes, TD_WIRE_QUERY_BYTES);
    peer->count += TD_WIRE_QUERY_BYTES;
}

static void ask(struct peer *peer, const uint8_t *data, size_t size)
{
    size_t at = 0;
    for (int i = 0; i < QUERIES && size - at >= 4; i++, at += 4) {
        if (data[at] == 255 && size - at >= 1 + TD_WIRE_QUERY_BYTES) {
            put(peer, data + at + 1);
            at += TD_WIRE_QUERY_BYTES - 3;
            continue;
        }
        uint8_t query[TD_WIRE_QUERY_BYTES] = {(uint8_t)(data[at] % 17)};
        uint64_t address =
            peer->known ? peer->addresses[data[at + 1] % peer->known % ADDRESSES] : data[at + 1];
        uint32_t extra = data[at + 2] | (uint32_t)data[at + 3] << 8;
        if (data[at + 2] & 1)
            address += data[at + 3];
        if (data[at + 2] < 128)
            extra = 0;
        memcpy(query + 1, &address, 8);
        memcpy(query + 9, &extra, 4);
        put(peer, query);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct peer peer;
    static const uint8_t terminate[TD_WIRE_QUERY_BYTES];
    begin();
    memset(&peer, 0, sizeof peer);
    peer.unpacker = td_unpacker_create();
    if (!peer.unpacker)
        fail("no memory");
    dial(&peer);
    size_t at = greet(&peer, data, size);
    talk(&peer, 0);
    if (peer.release) {
        for (int i = 0; i < 1000 && !peer.closed && !td_client_is_live(); i++) {
            poll(NULL, 0, 1);
            hear(&peer);
        }
        mark();
        for (int i = 0; i < 100 && !peer.closed && !peer.known; i++) {
            poll(&(struct pollfd){peer.fd, POLLIN, 0}, 1, 5);
            hear(&peer);
        }
        if (at < size)
            ask(&peer, data + at, size - at);
        put(&peer, terminate);
    } else {
        shutdown(peer.fd, SHUT_WR); /* not a client's reason to wait two seconds for more */
    }
    talk(&peer, 1);
    close(peer.fd);
    td_unpacker_destroy(peer.unpacker);
    return 0;
}
