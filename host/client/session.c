/* The client's own thread. It serves one session: a program's events go to one viewer or recorder. Whatever a
 * peer does costs bounded time: greeting 2 s, the program's end TENDRIL_EXIT_WAIT_MS without progress. */
#include "host/client/client.h"
#include "host/base/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define GREET_MS      2000
#define ANNOUNCE_MS   3000
#define KEEP_ALIVE_MS 5000
#define NAP_MS        20    /* longest between two looks at the queues */
#define LAST_WORDS_MS 60000 /* for a peer's questions after the end */
#define QUERIES       4096
#define TURN          8192 /* records of one lane before the next has its turn */

static atomic_int state, port, ending, done;
static atomic_int wake_fd = -1, listen_fd = -1, session_fd = -1;
static pthread_t thread;
static int64_t init_end;

/* A connected peer. */
struct peer {
    int fd, gone;
    int64_t progress_ms; /* when it last took or asked something */
    int exit_wait_ms;
    size_t have; /* bytes of queries */
    uint8_t queries[QUERIES * TD_WIRE_QUERY_BYTES];
};

/* The one session: here, so that a forked child still knows of the memory that it inherits. */
static struct {
    struct peer *peer;
    struct td_encoder encoder;
} session;

static int64_t now_ms(void)
{
    return td_mono_ns() / 1000000;
}

int td_session_state(void)
{
    return atomic_load_explicit(&state, memory_order_relaxed);
}

int td_session_port(void)
{
    return atomic_load(&port);
}

/* Waits for the descriptor, or for the end of the program. */
static int wait_for(int fd, short events, int64_t ms)
{
    struct pollfd fds[2] = {{fd, events, 0}, {wake_fd, POLLIN, 0}};
    int n = poll(fds, atomic_load(&ending) ? 1 : 2, ms < 0 ? 0 : (int)ms);
    if ((fds[0].revents | fds[1].revents) & POLLNVAL) {
        /* The program closed descriptors that are not its own: do not spin on them. */
        nanosleep(&(struct timespec){0, NAP_MS * 1000000}, NULL);
        return 0;
    }
    return n > 0 ? fds[0].revents : 0;
}

static int bind_one(int want)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    int yes = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    int everywhere = td_client_option("TENDRIL_BIND_ALL", 0);
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)want),
                             .sin_addr.s_addr = htonl(everywhere ? INADDR_ANY : INADDR_LOOPBACK)};
    if (bind(fd, (struct sockaddr *)&at, sizeof at) == 0 && listen(fd, 4) == 0)
        return fd;
    close(fd);
    return -1;
}

static int open_port(void)
{
    int fixed = td_client_option("TRACY_PORT", 0);
    int first = fixed ? fixed : TD_WIRE_PORT, count = fixed ? 1 : TD_WIRE_PORTS;
    for (int i = 0; i < count && first + i < 65536; i++) {
        int fd = bind_one(first + i);
        if (fd >= 0) {
            atomic_store(&port, first + i);
            return fd;
        }
    }
    return -1;
}

/* Tells viewers on this machine that we are here (seconds >= 0) or no longer (-1). */
static void announce(int seconds)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    int yes = 1;
    setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &yes, sizeof yes);
    struct td_wire_broadcast message = {.broadcastVersion = TD_WIRE_BROADCAST_VERSION,
                                        .listenPort = (uint16_t)atomic_load(&port),
                                        .protocolVersion = td_wire_69.protocol,
                                        .pid = (uint64_t)getpid(),
                                        .activeTime = seconds};
    td_client_program_name(message.programName, sizeof message.programName);
    uint8_t bytes[sizeof message];
    size_t count = td_wire_put_broadcast(bytes, &message);
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(TD_WIRE_PORT),
                             .sin_addr.s_addr = htonl(UINT32_C(0x7fffffff))};
    sendto(fd, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&to, sizeof to);
    close(fd);
}

/* Everything within the time or nothing. */
static int read_all(int fd, uint8_t *to, size_t bytes, int64_t until_ms)
{
    while (bytes) {
        ssize_t n = recv(fd, to, bytes, MSG_DONTWAIT);
        if (n > 0) {
            to += n;
            bytes -= (size_t)n;
            continue;
        }
        if (n == 0 || (errno != EAGAIN && errno != EINTR))
            return -1;
        if (now_ms() >= until_ms)
            return -1;
        wait_for(fd, POLLIN, until_ms - now_ms());
        if (atomic_load(&ending) && now_ms() + 200 < until_ms)
            until_ms = now_ms() + 200;
    }
    return 0;
}

/* The release that both speak, or NULL: then the peer has been told. */
static const struct td_wire_release *greet(int fd)
{
    uint8_t hello[TD_WIRE_HELLO_BYTES];
    uint32_t protocol;
    if (read_all(fd, hello, sizeof hello, now_ms() + GREET_MS) != 0 ||
        td_wire_get_hello(hello, &protocol) != 0)
        return NULL;
    const struct td_wire_release *release = td_wire_release_for(protocol);
    uint8_t status = TD_WIRE_STATUS_WELCOME;
    if (!release)
        status = TD_WIRE_STATUS_MISMATCH;
    else if (td_session_state() == TD_CLIENT_OVER)
        status = TD_WIRE_STATUS_NOT_AVAILABLE;
    if (send(fd, &status, 1, MSG_NOSIGNAL) != 1 || status != TD_WIRE_STATUS_WELCOME)
        return NULL;
    struct td_wire_welcome welcome;
    td_welcome_fill(&welcome, td_host_ns_per_tick(100), td_client_begin_ticks(), init_end);
    uint8_t bytes[2048];
    td_wire_put_welcome(bytes, release, &welcome);
    /* Fits into any socket's buffer. */
    return send(fd, bytes, release->welcome_bytes, MSG_NOSIGNAL) == (ssize_t)release->welcome_bytes ? release
                                                                                                    : NULL;
}

static void receive(struct peer *peer)
{
    while (peer->have < sizeof peer->queries) {
        ssize_t n =
            recv(peer->fd, peer->queries + peer->have, sizeof peer->queries - peer->have, MSG_DONTWAIT);
        if (n > 0) {
            peer->have += (size_t)n;
            peer->progress_ms = now_ms();
            continue;
        }
        if (n == 0 || (errno != EAGAIN && errno != EINTR))
            peer->gone = 1;
        return;
    }
}

static int too_slow(const struct peer *peer)
{
    return atomic_load(&ending) && now_ms() - peer->progress_ms > peer->exit_wait_ms;
}

/* td_encoder's send. Queries are read meanwhile: a peer that waits for room to ask must not wait for us. */
static int send_all(void *self, const uint8_t *bytes, size_t count)
{
    struct peer *peer = self;
    while (count && !peer->gone) {
        ssize_t n = send(peer->fd, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0) {
            bytes += n;
            count -= (size_t)n;
            peer->progress_ms = now_ms();
            continue;
        }
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            peer->gone = 1;
        short events = POLLOUT | (peer->have < sizeof peer->queries ? POLLIN : 0);
        if (wait_for(peer->fd, events, 100) & POLLIN && !peer->gone) {
            receive(peer);
            peer->gone = 0; /* its sending side may have closed; what matters here is ours */
        }
        if (too_slow(peer))
            peer->gone = 1;
    }
    return peer->gone ? -1 : 0;
}

/* Answers all queries that are here. Returns like td_answer(), 0 when there are none. */
static int answer_all(struct td_encoder *encoder, struct peer *peer)
{
    size_t at = 0;
    int what = 0;
    while (!what && peer->have - at >= TD_WIRE_QUERY_BYTES) {
        uint8_t query[TD_WIRE_QUERY_BYTES];
        memcpy(query, peer->queries + at, sizeof query);
        at += sizeof query;
        what = td_answer(encoder, query);
    }
    peer->have -= at;
    memmove(peer->queries, peer->queries + at, peer->have);
    return what;
}

/* One look at every lane. Returns the records taken, or -1. */
static int drain(struct td_encoder *encoder)
{
    int all = 0;
    for (struct td_lane *lane = td_queue_first(); lane; lane = td_queue_after(lane)) {
        int n = td_encode_lane(encoder, lane, TURN);
        if (n < 0)
            return -1;
        all += n;
    }
    return all;
}

static void discard(void)
{
    const struct td_rec *rec;
    for (struct td_lane *lane = td_queue_first(); lane; lane = td_queue_after(lane))
        while ((rec = td_lane_peek(lane)))
            td_lane_take(lane, rec);
}

/* Events flow until the program ends (0), or the peer ends or asks for the end of the session (1, 2), or is
 * gone. */
static int run(struct td_encoder *encoder, struct peer *peer)
{
    int nap = 1;
    int64_t said = now_ms();
    while (!atomic_load(&ending)) {
        int taken = drain(encoder);
        receive(peer);
        int what = answer_all(encoder, peer);
        int busy = taken || td_packer_used(encoder->packer);
        if (taken < 0 || what || (!taken && peer->gone))
            return what ? what : -1;
        if (busy)
            said = now_ms();
        if (now_ms() - said > KEEP_ALIVE_MS) {
            td_encode_put(encoder,
                          td_wire_put_KeepAlive(td_packer_at(encoder->packer), encoder->release, NULL));
            said = now_ms();
        }
        if (taken < TURN && td_encode_flush(encoder) != 0)
            return -1;
        nap = busy ? 1 : nap * 2 > NAP_MS ? NAP_MS : nap * 2;
        if (!busy)
            wait_for(peer->fd, POLLIN, nap);
    }
    return 0;
}

/* All that was marked, then Terminate. Markers from here on go nowhere, so this ends. */
static int finish(struct td_encoder *encoder, struct peer *peer)
{
    td_queue_mute();
    int taken, what = 0;
    while ((taken = drain(encoder)) > 0 && what != 1) {
        receive(peer);
        if ((what = answer_all(encoder, peer)) < 0)
            return -1;
    }
    uint8_t *p = taken < 0 || what == 1 ? NULL : td_encode_room(encoder, 128);
    if (!p)
        return -1;
    unsigned long lost = atomic_load(&td_queue_lost);
    if (lost) {
        char text[80];
        size_t count =
            (size_t)snprintf(text, sizeof text, "tendril.client.lost: %lu events (no memory)", lost);
        p = td_wire_put_string_head(p, encoder->release, TD_ITEM_SingleStringData, count);
        memcpy(p, text, count);
        struct td_wire_MessageAppInfo info = {(int64_t)td_host_ticks()};
        p = td_wire_put_MessageAppInfo(p + count, encoder->release, &info);
    }
    if (encoder->open_zones) /* a peer otherwise waits for their ends */
        p = td_wire_put_Crash(p, encoder->release, NULL);
    td_encode_put(encoder, p);
    if (td_encode_flush(encoder) != 0)
        return -1;
    p = td_wire_put_Terminate(td_packer_at(encoder->packer), encoder->release, NULL);
    td_encode_put(encoder, p);
    return td_encode_flush(encoder);
}

/* The peer's last questions. */
static void last_words(struct td_encoder *encoder, struct peer *peer)
{
    int64_t until = now_ms() + LAST_WORDS_MS;
    peer->progress_ms = now_ms();
    while (now_ms() < until && now_ms() - peer->progress_ms <= peer->exit_wait_ms) {
        int what = answer_all(encoder, peer);
        if ((what && what != 2) || td_encode_flush(encoder) != 0 || peer->gone)
            return;
        struct pollfd fd = {peer->fd, POLLIN, 0};
        poll(&fd, 1, 100);
        receive(peer);
    }
}

static void serve(struct peer *peer, const struct td_wire_release *release)
{
    session.peer = peer;
    session.encoder = (struct td_encoder){.release = release, .send = send_all, .self = peer};
    struct td_encoder *encoder = &session.encoder;
    encoder->packer = td_packer_create();
    encoder->known = td_known_create();
    if (encoder->packer && encoder->known) {
        atomic_store(&state, TD_CLIENT_CONNECTED);
        int how = run(encoder, peer);
        if ((how == 0 || how == 2) && finish(encoder, peer) == 0)
            last_words(encoder, peer);
    }
    td_known_destroy(encoder->known);
    td_packer_destroy(encoder->packer);
    session.encoder.known = NULL;
    session.encoder.packer = NULL;
    session.peer = NULL;
}

static void meet(int fd)
{
    int yes = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    const struct td_wire_release *release = greet(fd);
    struct peer *peer = release ? calloc(1, sizeof *peer) : NULL;
    if (!peer)
        return;
    atomic_store(&session_fd, fd);
    peer->fd = fd;
    peer->progress_ms = now_ms();
    peer->exit_wait_ms = td_client_option("TENDRIL_EXIT_WAIT_MS", 10000);
    serve(peer, release);
    atomic_store(&session_fd, -1);
    atomic_store(&state, TD_CLIENT_OVER);
    td_queue_mute();
    discard();
    free(peer);
}

static void listen_loop(void)
{
    int64_t begin = now_ms(), next = begin;
    int wait_for_one = td_client_option("TRACY_NO_EXIT", 0);
    while (!atomic_load(&ending) || (wait_for_one && td_session_state() == TD_CLIENT_LISTENING)) {
        int listening = td_session_state() == TD_CLIENT_LISTENING;
        if (listening && now_ms() >= next) {
            announce((int)((now_ms() - begin) / 1000));
            next = now_ms() + ANNOUNCE_MS;
        }
        if (!(wait_for(listen_fd, POLLIN, listening ? next - now_ms() : ANNOUNCE_MS) & POLLIN))
            continue;
        int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0) {
            nanosleep(&(struct timespec){0, NAP_MS * 1000000}, NULL); /* no descriptors left, say */
            continue;
        }
        if (listening)
            announce(-1);
        next = now_ms();
        meet(fd);
        close(fd);
    }
    if (td_session_state() == TD_CLIENT_LISTENING)
        announce(-1);
}

static void *session_main(void *nothing)
{
    pthread_setname_np(pthread_self(), "tendril client");
    int fd = open_port();
    atomic_store(&listen_fd, fd);
    if (fd >= 0) {
        atomic_store(&state, TD_CLIENT_LISTENING);
        listen_loop();
        close(fd);
    }
    atomic_store(&state, TD_CLIENT_OVER);
    td_queue_mute();
    discard();
    atomic_store(&done, 1);
    return nothing;
}

int td_session_start(void)
{
    init_end = (int64_t)td_host_ticks();
    wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = wake_fd < 0 || pthread_create(&thread, NULL, session_main, NULL) != 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

static void ask_for_end(void)
{
    atomic_store(&ending, 1);
    uint64_t one = 1;
    if (write(wake_fd, &one, sizeof one) < 0)
        return; /* the thread looks by itself, a little later */
}

void td_session_end(void)
{
    ask_for_end();
    pthread_join(thread, NULL);
    close(wake_fd);
}

void td_session_crashed(int wait_ms)
{
    if (td_session_state() != TD_CLIENT_CONNECTED)
        return;
    ask_for_end();
    for (int i = 0; i < wait_ms / 10 && !atomic_load(&done); i++)
        nanosleep(&(struct timespec){0, 10000000}, NULL);
}

void td_session_forked(void)
{
    int fds[] = {atomic_exchange(&listen_fd, -1), atomic_exchange(&session_fd, -1),
                 atomic_exchange(&wake_fd, -1)};
    for (int i = 0; i < 3; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    atomic_store(&state, TD_CLIENT_OVER);
}
