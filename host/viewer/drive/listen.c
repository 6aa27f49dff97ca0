#include "host/viewer/drive/listen.h"
#include "host/base/debug_log.h"
#include "host/base/thread.h"
#include "host/transport/link/socket.h"
#include "host/viewer/drive/request.h"

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define CLIENTS    16
#define ROOM       (TD_REQUEST_BYTES + 1)
#define LINGER_MS  500 /* at the end, for clients that do not read */
#define POLL_FIXED 2   /* the wake-up and the socket come before the clients */

enum listen_state {
    LISTEN_READS, /* no whole line yet */
    LISTEN_ASKS,  /* a line waits to be taken */
    LISTEN_TAKEN, /* the viewer has the line */
    LISTEN_SENDS  /* the reply is being sent */
};

struct listen_client {
    int fd; /* -1: unused */
    enum listen_state state;
    char in[ROOM];
    size_t used, line; /* bytes received; those of the first line with its end, 0: not whole */
    bool skips;        /* the rest of a line that is too long is ignored */
    bool ended;        /* it sends no more */
    char *out;
    size_t out_bytes, sent;
    uint64_t order; /* of its request */
};

struct td_listen {
    int listening, wake_fd;
    char path[108];
    void (*wake)(void);
    struct td_requests asked;
    pthread_t thread;
    pthread_mutex_t lock; /* protects what follows */
    bool ends;
    uint64_t requests;
    struct listen_client *taken;
    struct listen_client client[CLIENTS];
};

static void drop_client(struct listen_client *c)
{
    close(c->fd);
    free(c->out);
    c->out = NULL;
    c->fd = -1;
}

/* ---- lines ---- */

/* Looks for a whole line, and offers it. True: there is one. */
static bool find_line(struct td_listen *l, struct listen_client *c)
{
    char *end = memchr(c->in, '\n', c->used);
    if (end && c->skips) {
        size_t drop = (size_t)(end + 1 - c->in);
        memmove(c->in, end + 1, c->used -= drop);
        c->skips = false;
        end = memchr(c->in, '\n', c->used);
    } else if (c->skips) {
        c->used = 0;
    }
    if (!end && c->used < ROOM)
        return false;
    c->line = end ? (size_t)(end + 1 - c->in) : c->used;
    c->skips = !end;
    c->state = LISTEN_ASKS;
    c->order = l->requests++;
    return true;
}

static void end_line(struct listen_client *c)
{
    memmove(c->in, c->in + c->line, c->used - c->line);
    c->used -= c->line;
    c->line = 0;
    c->state = LISTEN_READS;
}

/* ---- the thread ---- */

static void accept_client(struct td_listen *l)
{
    int fd = td_socket_accept(l->listening);
    for (int i = 0; fd >= 0 && i < CLIENTS; i++)
        if (l->client[i].fd < 0) {
            struct listen_client *c = &l->client[i];
            c->fd = fd;
            c->state = LISTEN_READS;
            c->used = c->line = 0;
            c->skips = c->ended = false;
            return;
        }
    if (fd >= 0)
        close(fd);
}

static void read_client(struct td_listen *l, struct listen_client *c, bool *asks)
{
    ssize_t got = recv(c->fd, c->in + c->used, ROOM - c->used, MSG_DONTWAIT);
    if (got > 0)
        c->used += (size_t)got;
    else
        c->ended = true;
    *asks |= find_line(l, c);
}

static void send_reply(struct td_listen *l, struct listen_client *c, bool *asks)
{
    ssize_t sent = send(c->fd, c->out + c->sent, c->out_bytes - c->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) {
        drop_client(c);
        return;
    }
    c->sent += (size_t)sent;
    if (c->sent < c->out_bytes)
        return;
    free(c->out);
    c->out = NULL;
    end_line(c);
    *asks |= find_line(l, c);
}

/* What to wait for; a client whose request is being worked on waits itself. */
static short events_of(const struct listen_client *c)
{
    if (c->state == LISTEN_SENDS)
        return POLLOUT;
    return c->state == LISTEN_READS && !c->ended ? POLLIN : 0;
}

static void serve_client(struct td_listen *l, struct listen_client *c, short events, bool *asks)
{
    if (c->fd < 0)
        return;
    if (c->state == LISTEN_SENDS && events)
        send_reply(l, c, asks);
    else if (c->state == LISTEN_READS && events && !c->ended)
        read_client(l, c, asks);
    if (c->fd >= 0 && c->state == LISTEN_READS && c->ended)
        drop_client(c);
}

static bool is_sending(const struct td_listen *l)
{
    for (int i = 0; i < CLIENTS; i++)
        if (l->client[i].fd >= 0 && l->client[i].state == LISTEN_SENDS)
            return true;
    return false;
}

static void *serve(void *self)
{
    struct td_listen *l = self;
    struct pollfd fds[POLL_FIXED + CLIENTS];
    pthread_mutex_lock(&l->lock);
    while (!l->ends || is_sending(l)) {
        bool asks = false, ends = l->ends;
        fds[0] = (struct pollfd){l->wake_fd, POLLIN, 0};
        fds[1] = (struct pollfd){ends ? -1 : l->listening, POLLIN, 0};
        for (int i = 0; i < CLIENTS; i++) {
            short events = l->client[i].fd < 0 ? 0 : events_of(&l->client[i]);
            fds[POLL_FIXED + i] = (struct pollfd){events ? l->client[i].fd : -1, events, 0};
        }
        pthread_mutex_unlock(&l->lock);
        int ready = poll(fds, POLL_FIXED + CLIENTS, ends ? LINGER_MS : -1);
        uint64_t count;
        if (ready > 0 && fds[0].revents && read(l->wake_fd, &count, sizeof count) < 0)
            td_debug(line, "--listen: %s", "the wake-up was empty");
        pthread_mutex_lock(&l->lock);
        if (ready <= 0 && ends)
            break;
        for (int i = 0; ready > 0 && i < CLIENTS; i++)
            serve_client(l, &l->client[i], fds[POLL_FIXED + i].revents, &asks);
        if (ready > 0 && fds[1].revents)
            accept_client(l);
        if (asks)
            l->wake();
    }
    pthread_mutex_unlock(&l->lock);
    return NULL;
}

static void wake_thread(const struct td_listen *l)
{
    if (write(l->wake_fd, &(uint64_t){1}, sizeof(uint64_t)) < 0)
        td_debug(line, "--listen: %s", "the wake-up is full");
}

/* ---- for the viewer ---- */

static const char *take_line(void *self, size_t *bytes)
{
    struct td_listen *l = self;
    struct listen_client *first = NULL;
    pthread_mutex_lock(&l->lock);
    for (int i = 0; i < CLIENTS; i++) {
        struct listen_client *c = &l->client[i];
        if (c->fd >= 0 && c->state == LISTEN_ASKS && (!first || c->order < first->order))
            first = c;
    }
    l->taken = first;
    if (first) {
        first->state = LISTEN_TAKEN;
        *bytes = first->skips ? first->line : first->line - 1;
    }
    pthread_mutex_unlock(&l->lock);
    return first ? first->in : NULL;
}

static void reply_line(void *self, char *text)
{
    struct td_listen *l = self;
    size_t bytes = text ? strlen(text) : 0;
    char *out = text ? realloc(text, bytes + 1) : NULL;
    if (out)
        out[bytes++] = '\n'; /* in place of the NUL */
    pthread_mutex_lock(&l->lock);
    struct listen_client *c = l->taken;
    l->taken = NULL;
    c->out = out ? out : text;
    c->out_bytes = out ? bytes : 0;
    c->sent = 0;
    c->state = LISTEN_SENDS;
    pthread_mutex_unlock(&l->lock);
    wake_thread(l);
}

const struct td_requests *td_listen_requests(const struct td_listen *l)
{
    return &l->asked;
}

struct td_listen *td_listen_open(const char *path, void (*wake)(void), struct td_err *err)
{
    struct td_listen *l = calloc(1, sizeof *l);
    if (!l) {
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    for (int i = 0; i < CLIENTS; i++)
        l->client[i].fd = -1;
    l->wake = wake;
    l->asked = (struct td_requests){take_line, reply_line, l};
    snprintf(l->path, sizeof l->path, "%s", path);
    /* No other user may connect, not even before a chmod(). */
    mode_t mask = umask(S_IRWXG | S_IRWXO | S_IXUSR);
    l->listening = td_unix_listen(path, err);
    umask(mask);
    l->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&l->lock, NULL);
    if (l->listening >= 0 && l->wake_fd >= 0 && td_thread_create(&l->thread, NULL, serve, l) == 0)
        return l;
    if (l->listening >= 0) {
        td_fail_errno(err, "cannot serve %s", path);
        close(l->listening);
        unlink(path);
    }
    if (l->wake_fd >= 0)
        close(l->wake_fd);
    pthread_mutex_destroy(&l->lock);
    free(l);
    return NULL;
}

void td_listen_close(struct td_listen *l)
{
    if (!l)
        return;
    pthread_mutex_lock(&l->lock);
    l->ends = true;
    pthread_mutex_unlock(&l->lock);
    wake_thread(l);
    pthread_join(l->thread, NULL);
    for (int i = 0; i < CLIENTS; i++)
        if (l->client[i].fd >= 0)
            drop_client(&l->client[i]);
    close(l->listening);
    close(l->wake_fd);
    unlink(l->path);
    pthread_mutex_destroy(&l->lock);
    free(l);
}
