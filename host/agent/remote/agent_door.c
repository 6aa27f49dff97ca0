#include "host/agent/remote/agent_door.h"
#include "host/agent/remote/remote_layout.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/base/thread.h"
#include "host/transport/link/socket.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#define GUESTS   16    /* connections besides that of the session */
#define HELLO_MS 5000  /* for a hello */
#define BEGIN_MS 30000 /* for the begin of a session */
#define LEAVE_MS 10000 /* for a recorder that has not read all at the end */
#define STEP_MS  50    /* between looks for signals */
#define GONE_MS  30000 /* without an acknowledgement the recorder's machine is gone */

/* A connection that has not said hello yet, or that asks for the clock. */
struct guest {
    int fd; /* -1: none */
    bool is_clock;
    int64_t since_ms;
    size_t have;
    uint8_t bytes[sizeof(struct td_remote_opening)];
};

struct td_agent_door {
    int listening;
    int wake[2]; /* a byte ends the thread */
    pthread_t thread;
    bool started;
    double ns_per_tick;
    const volatile int *interrupts;
    volatile int wanted_end;

    pthread_mutex_t lock; /* of the rest */
    pthread_cond_t change;
    int session; /* its connection; -1: none */
    uint64_t token;
    int64_t session_ms; /* when it connected */
    bool begun;         /* the recorder has compared the clocks */
    bool taken;         /* td_agent_door_accept() has returned it */
    char peer[80];
    struct guest guests[GUESTS]; /* the thread's own */
};

static void close_guest(struct guest *guest)
{
    if (guest->fd >= 0)
        close(guest->fd);
    *guest = (struct guest){.fd = -1};
}

static void answer(const struct td_agent_door *door, int fd, const char *text, uint64_t token)
{
    struct td_remote_answer a = {
        .version = TD_REMOTE_VERSION, .status = *text != 0, .token = token, .ns_per_tick = door->ns_per_tick};
    memcpy(a.magic, TD_REMOTE_MAGIC, sizeof a.magic);
    snprintf(a.text, sizeof a.text, "%s", text);
    /* The first bytes of a connection always have room. */
    if (send(fd, &a, sizeof a, MSG_NOSIGNAL) != (ssize_t)sizeof a)
        td_debug(client, "a recorder did not take the agent's answer");
}

static void name_peer(int fd, char *name, size_t bytes)
{
    struct sockaddr_storage at;
    socklen_t at_bytes = sizeof at;
    char host[64] = "?", port[16] = "?";
    if (getpeername(fd, (struct sockaddr *)&at, &at_bytes) == 0)
        getnameinfo((struct sockaddr *)&at, at_bytes, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(name, bytes, "%s:%s", host, port);
}

/* Makes the guest the session, or refuses it. */
static void begin_session(struct td_agent_door *door, struct guest *guest)
{
    pthread_mutex_lock(&door->lock);
    if (door->session >= 0) {
        answer(door, guest->fd, "it records for another recorder already", 0);
        pthread_mutex_unlock(&door->lock);
        close_guest(guest);
        return;
    }
    const int flags[][3] = {{SOL_SOCKET, SO_KEEPALIVE, 1},
                            {IPPROTO_TCP, TCP_USER_TIMEOUT, GONE_MS},
                            {IPPROTO_TCP, TCP_NODELAY, 1}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        setsockopt(guest->fd, flags[i][0], flags[i][1], &flags[i][2], sizeof(int));
    if (getrandom(&door->token, sizeof door->token, 0) != (ssize_t)sizeof door->token)
        door->token ^= (uint64_t)td_host_ticks();
    door->session = guest->fd;
    door->session_ms = td_mono_ms();
    door->begun = door->taken = false;
    door->wanted_end = 0;
    name_peer(guest->fd, door->peer, sizeof door->peer);
    answer(door, guest->fd, "", door->token);
    guest->fd = -1;
    pthread_mutex_unlock(&door->lock);
    close_guest(guest);
}

static void take_hello(struct td_agent_door *door, struct guest *guest)
{
    struct td_remote_opening hello;
    memcpy(&hello, guest->bytes, sizeof hello);
    guest->have = 0;
    if (memcmp(hello.magic, TD_REMOTE_MAGIC, sizeof hello.magic) != 0) {
        close_guest(guest);
    } else if (hello.version != TD_REMOTE_VERSION) {
        answer(door, guest->fd, "it is of another release of Tendril", 0);
        close_guest(guest);
    } else if (hello.role == TD_REMOTE_STREAM) {
        begin_session(door, guest);
    } else {
        pthread_mutex_lock(&door->lock);
        guest->is_clock = door->session >= 0 && hello.token == door->token;
        pthread_mutex_unlock(&door->lock);
        if (!guest->is_clock)
            close_guest(guest);
    }
}

/* Reads a hello or a ping. */
static void serve_guest(struct td_agent_door *door, struct guest *guest)
{
    const size_t want = guest->is_clock ? sizeof(struct td_remote_ping) : sizeof(struct td_remote_opening);
    const ssize_t n = recv(guest->fd, guest->bytes + guest->have, want - guest->have, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
        close_guest(guest);
        return;
    }
    guest->have += n > 0 ? (size_t)n : 0;
    if (guest->have < want)
        return;
    if (!guest->is_clock) {
        take_hello(door, guest);
        return;
    }
    struct td_remote_pong pong;
    memcpy(&pong.number, guest->bytes, sizeof pong.number);
    guest->have = 0;
    pong.ticks = td_host_ticks();
    if (send(guest->fd, &pong, sizeof pong, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)sizeof pong)
        close_guest(guest);
}

static void accept_guest(struct td_agent_door *door)
{
    const int fd = td_socket_accept(door->listening);
    if (fd < 0)
        return;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    for (int i = 0; i < GUESTS; i++)
        if (door->guests[i].fd < 0) {
            door->guests[i] = (struct guest){.fd = fd, .since_ms = td_mono_ms()};
            return;
        }
    close(fd);
}

/* With the lock. */
static void drop_session(struct td_agent_door *door)
{
    if (door->session >= 0)
        close(door->session);
    door->session = -1;
}

/* The recorder is gone, or does not begin. What was begun is ended by its user. */
static void lose_session(struct td_agent_door *door)
{
    door->wanted_end = 2;
    if (door->begun)
        shutdown(door->session, SHUT_RDWR);
    else
        drop_session(door);
}

/* Reads what the recorder of the session sends: requests for the begin and for the end, and the end of its
 * connection. */
static void read_session(struct td_agent_door *door, int fd)
{
    char byte;
    const ssize_t n = recv(fd, &byte, 1, MSG_DONTWAIT);
    pthread_mutex_lock(&door->lock);
    if (door->session == fd) {
        if (n == 1 && byte == TD_REMOTE_BEGIN)
            door->begun = true;
        else if (n == 1 && byte == TD_REMOTE_END && !door->wanted_end)
            door->wanted_end = 1;
        else if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            lose_session(door);
    }
    pthread_cond_broadcast(&door->change);
    pthread_mutex_unlock(&door->lock);
}

static void heed_time(struct td_agent_door *door)
{
    pthread_mutex_lock(&door->lock);
    if (door->session >= 0 && !door->begun && td_mono_ms() - door->session_ms > BEGIN_MS)
        lose_session(door);
    pthread_mutex_unlock(&door->lock);
}

static void heed_interrupts(struct td_agent_door *door)
{
    const int wanted = *door->interrupts < 2 ? *door->interrupts : 2;
    if (wanted <= door->wanted_end)
        return;
    door->wanted_end = wanted;
    pthread_mutex_lock(&door->lock);
    if (wanted == 2 && door->session >= 0)
        shutdown(door->session, SHUT_RDWR);
    pthread_mutex_unlock(&door->lock);
}

static void *run_door(void *self)
{
    struct td_agent_door *door = self;
    for (;;) {
        struct pollfd fds[3 + GUESTS] = {{door->wake[0], POLLIN, 0}, {door->listening, POLLIN, 0}};
        pthread_mutex_lock(&door->lock);
        const int session = door->wanted_end == 2 ? -1 : door->session;
        pthread_mutex_unlock(&door->lock);
        fds[2] = (struct pollfd){session, POLLIN, 0};
        for (int i = 0; i < GUESTS; i++)
            fds[3 + i] = (struct pollfd){door->guests[i].fd, POLLIN, 0};
        poll(fds, 3 + GUESTS, STEP_MS);
        heed_interrupts(door);
        heed_time(door);
        if (fds[0].revents)
            return NULL;
        if (fds[1].revents)
            accept_guest(door);
        if (fds[2].revents)
            read_session(door, session);
        for (int i = 0; i < GUESTS; i++) {
            struct guest *guest = &door->guests[i];
            if (fds[3 + i].revents && guest->fd == fds[3 + i].fd)
                serve_guest(door, guest);
            if (guest->fd >= 0 && !guest->is_clock && td_mono_ms() - guest->since_ms > HELLO_MS)
                close_guest(guest);
        }
    }
}

struct td_agent_door *td_agent_door_open(const char *where, int *port, const volatile int *interrupts,
                                         struct td_err *err)
{
    struct td_agent_door *door = calloc(1, sizeof *door);
    if (!door) {
        td_fail_no_memory(err, "for an agent");
        return NULL;
    }
    door->session = door->wake[0] = door->wake[1] = -1;
    for (int i = 0; i < GUESTS; i++)
        door->guests[i].fd = -1;
    pthread_mutex_init(&door->lock, NULL);
    td_condition_init(&door->change);
    door->interrupts = interrupts;
    door->ns_per_tick = td_host_ns_per_tick(100);
    door->listening = td_tcp_listen(where, port, err);
    if (door->listening >= 0) {
        if (pipe(door->wake) == 0 && td_thread_create(&door->thread, NULL, run_door, door) == 0)
            door->started = true;
        else
            td_fail(err, TD_E_IO, "no thread can be started to listen for recorders");
    }
    if (door->started)
        return door;
    td_agent_door_close(door);
    return NULL;
}

void td_agent_door_close(struct td_agent_door *door)
{
    if (!door)
        return;
    if (door->started && write(door->wake[1], "", 1) == 1)
        pthread_join(door->thread, NULL);
    drop_session(door);
    for (int i = 0; i < GUESTS; i++)
        close_guest(&door->guests[i]);
    for (int i = 0; i < 2; i++)
        if (door->wake[i] >= 0)
            close(door->wake[i]);
    if (door->listening >= 0)
        close(door->listening);
    pthread_cond_destroy(&door->change);
    pthread_mutex_destroy(&door->lock);
    free(door);
}

int td_agent_door_accept(struct td_agent_door *door, char *peer, int peer_bytes, struct td_err *err)
{
    int fd = -1;
    while (fd < 0 && !*door->interrupts) {
        struct timespec until = td_deadline(CLOCK_MONOTONIC, STEP_MS * 1000000);
        pthread_mutex_lock(&door->lock);
        if (door->session < 0 || !door->begun || door->taken)
            pthread_cond_timedwait(&door->change, &door->lock, &until);
        if (door->session >= 0 && door->begun && !door->taken) {
            fd = door->session;
            door->taken = true;
            snprintf(peer, (size_t)peer_bytes, "%s", door->peer);
        }
        pthread_mutex_unlock(&door->lock);
    }
    return fd >= 0 ? fd : td_fail(err, TD_E_STOPPED, "stopped while waiting for a recorder");
}

const volatile int *td_agent_door_wanted_end(const struct td_agent_door *door)
{
    return &door->wanted_end;
}

void td_agent_door_hang_up(struct td_agent_door *door)
{
    const int64_t until_ms = td_mono_ms() + LEAVE_MS;
    pthread_mutex_lock(&door->lock);
    if (door->session >= 0)
        shutdown(door->session, SHUT_WR);
    while (door->session >= 0 && door->wanted_end < 2 && td_mono_ms() < until_ms) {
        struct timespec until = td_deadline(CLOCK_MONOTONIC, STEP_MS * 1000000);
        pthread_cond_timedwait(&door->change, &door->lock, &until);
    }
    drop_session(door);
    pthread_mutex_unlock(&door->lock);
}
