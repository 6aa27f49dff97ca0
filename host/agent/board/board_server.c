#include "host/agent/board/board_server.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/probe/serve.h"
#include "host/transport/link/socket.h"
#include "host/transport/link/stream.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_SESSIONS 32
#define BUSY_NS      3000000 /* after the last request */
#define TURN_NS      1000000 /* of one pump; then the caller drains lanes */
#define NEXT_NS      60000   /* the longest wait for a program's next request */

struct session {
    struct td_board_server *server;
    struct td_link *link;
    struct td_probe probe;
    void *in, *out; /* TD_PROBE_MAX_BYTES each */
};

struct td_board_server {
    struct td_probe_board board;
    int listening;
    char path[300];
    struct session *sessions[MAX_SESSIONS];
    size_t count;
    int64_t asked_ns;
};

static int send_answer(void *self, const void *message, uint32_t bytes)
{
    struct session *s = self;
    return s->link->ops->send(s->link, message, bytes, NULL);
}

static void end_session(struct session *s)
{
    td_probe_end(&s->probe);
    s->link->ops->close(s->link);
    free(s->in);
    free(s->out);
    free(s);
}

/* Takes over the connection. NULL: no memory. */
static struct session *begin_session(struct td_board_server *server, int fd)
{
    struct session *s = calloc(1, sizeof *s);
    if (!s) {
        close(fd);
        return NULL;
    }
    s->server = server;
    s->link = td_stream_link(fd, "a program's connection", 0, NULL);
    s->in = aligned_alloc(64, TD_PROBE_MAX_BYTES);
    s->out = aligned_alloc(64, TD_PROBE_MAX_BYTES);
    /* No room for lanes, because programs must not drain them. */
    const struct td_probe_config config = {.board = server->board,
                                           .link = {.send = send_answer, .self = s},
                                           .out = s->out,
                                           .out_bytes = TD_PROBE_MAX_BYTES};
    if (s->link && s->in && s->out && td_probe_init(&s->probe, &config) == 0)
        return s;
    if (s->link)
        s->link->ops->close(s->link);
    free(s->in);
    free(s->out);
    free(s);
    return NULL;
}

struct td_board_server *td_board_server_create(struct td_transport *t, const char *path,
                                               const char *description, const char *grid, struct td_err *err)
{
    struct td_board_server *s = calloc(1, sizeof *s);
    if (!s) {
        td_fail_no_memory(err, "for sharing the board");
        return NULL;
    }
    td_probe_board_of(t, &s->board);
    s->board.name = "agent";
    if (description) {
        s->board.description = description;
        s->board.grid = grid;
    }
    snprintf(s->path, sizeof s->path, "%s", path);
    s->listening = td_unix_listen(path, err);
    td_debug(board, "sharing the board at unix:%s%s", path, s->listening >= 0 ? "" : ": failed");
    if (s->listening >= 0)
        return s;
    free(s);
    return NULL;
}

void td_board_server_destroy(struct td_board_server *s)
{
    if (!s)
        return;
    while (s->count)
        end_session(s->sessions[--s->count]);
    close(s->listening);
    unlink(s->path);
    free(s);
}

size_t td_board_server_fds(const struct td_board_server *s, struct pollfd *fds, size_t room)
{
    size_t n = 0;
    if (n < room && s->count < MAX_SESSIONS)
        fds[n++] = (struct pollfd){s->listening, POLLIN, 0};
    for (size_t i = 0; n < room && i < s->count; i++)
        fds[n++] = (struct pollfd){s->sessions[i]->link->ops->fd(s->sessions[i]->link), POLLIN, 0};
    return n;
}

/* Answers at most one request of each program, and removes those that have hung up. Returns the requests. */
static size_t answer_each(struct td_board_server *s)
{
    size_t requests = 0;
    for (size_t i = 0; i < s->count;) {
        struct session *one = s->sessions[i];
        int bytes = one->link->ops->receive(one->link, one->in, TD_PROBE_MAX_BYTES, 0, NULL);
        if (bytes < 0) {
            td_debug(board, "a program has closed its connection to the board");
            end_session(one);
            s->sessions[i] = s->sessions[--s->count];
            continue;
        }
        if (bytes > 0) {
            td_probe_message(&one->probe, one->in, (uint32_t)bytes, (uint32_t)td_mono_ms());
            requests++;
        }
        i++;
    }
    return requests;
}

static void accept_programs(struct td_board_server *s)
{
    while (s->count < MAX_SESSIONS) {
        int fd = td_socket_accept(s->listening);
        struct session *one = fd < 0 ? NULL : begin_session(s, fd);
        if (!one)
            return;
        s->sessions[s->count++] = one;
        td_debug(board, "a program has connected to the board, %zu now", s->count);
    }
}

static bool wait_for_next(const struct td_board_server *s)
{
    struct pollfd fds[MAX_SESSIONS + 1];
    size_t n = td_board_server_fds(s, fds, MAX_SESSIONS + 1);
    return ppoll(fds, n, &(struct timespec){0, NEXT_NS}, NULL) > 0;
}

size_t td_board_server_pump(struct td_board_server *s)
{
    const int64_t began = td_mono_ns();
    size_t requests = 0, now;
    do {
        accept_programs(s);
        now = answer_each(s);
        requests += now;
    } while (td_mono_ns() - began < TURN_NS && (now || (requests && wait_for_next(s))));
    if (requests)
        s->asked_ns = td_mono_ns();
    return requests;
}

bool td_board_server_is_busy(const struct td_board_server *s)
{
    return s->asked_ns && td_mono_ns() - s->asked_ns < BUSY_NS;
}
