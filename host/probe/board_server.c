#include "host/probe/board_server.h"
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
#define MAX_LANES    16384
#define BUSY_NS      3000000 /* after the last request */
#define TURN_NS      1000000 /* of one pump; then the caller drains lanes */
#define ACCEPT_NS    5000000 /* between looks for new connections */
#define NEXT_NS      60000   /* the longest wait for a program's next request */

struct session {
    struct td_board_server *server;
    struct td_link *link;
    struct td_probe probe;
    struct td_probe_lane_state *lanes; /* or NULL */
    void *in, *out, *kept;             /* TD_PROBE_MAX_BYTES each; kept: or NULL */
};

struct td_board_server {
    struct td_probe_board board;
    bool gathers;
    int listening; /* -1: not */
    char path[300];
    struct session *sessions[MAX_SESSIONS];
    size_t count;
    int64_t asked_ns, accepted_ns;
    bool left; /* there may be requests that were read already, and not answered */
};

static int send_answer(void *self, const void *message, uint32_t bytes)
{
    struct session *s = self;
    const struct td_probe_head *head = message;
    s->link->more =
        head->type == (TD_PROBE_LANES | TD_PROBE_ANSWER); /* the answer to TAKE or FINISH follows */
    return s->link->ops->send(s->link, message, bytes, NULL);
}

static void free_session(struct session *s)
{
    if (s->link)
        s->link->ops->close(s->link);
    free(s->lanes);
    free(s->in);
    free(s->out);
    free(s->kept);
    free(s);
}

static void end_session(struct session *s)
{
    td_probe_end(&s->probe);
    free_session(s);
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
    s->kept = server->gathers ? aligned_alloc(64, TD_PROBE_MAX_BYTES) : NULL;
    s->lanes = server->gathers ? calloc(MAX_LANES, sizeof *s->lanes) : NULL;
    const struct td_probe_config config = {.board = server->board,
                                           .link = {.send = send_answer, .self = s},
                                           .out = s->out,
                                           .out_bytes = TD_PROBE_MAX_BYTES,
                                           .lanes = s->lanes,
                                           .kept = s->kept,
                                           .lane_capacity = s->lanes ? MAX_LANES : 0,
                                           .in_idle = server->gathers};
    if (s->link && s->in && s->out && ((s->lanes && s->kept) || !server->gathers) &&
        td_probe_init(&s->probe, &config) == 0)
        return s;
    free_session(s);
    return NULL;
}

struct td_board_server *td_board_server_create(struct td_transport *t,
                                               const struct td_board_server_options *o, struct td_err *err)
{
    struct td_board_server *s = calloc(1, sizeof *s);
    if (!s) {
        td_fail_no_memory(err, "for sharing the board");
        return NULL;
    }
    td_probe_board_of(t, &s->board);
    s->board.name = o->name;
    s->gathers = o->gathers;
    s->listening = -1;
    if (o->description) {
        s->board.description = o->description;
        s->board.grid = o->grid;
    }
    if (!o->path)
        return s;
    snprintf(s->path, sizeof s->path, "%s", o->path);
    s->listening = td_unix_listen(o->path, err);
    td_debug(board, "sharing the board at unix:%s%s", o->path, s->listening >= 0 ? "" : ": failed");
    if (s->listening >= 0)
        return s;
    free(s);
    return NULL;
}

int td_board_server_adopt(struct td_board_server *s, int fd, struct td_err *err)
{
    struct session *one = s->count < MAX_SESSIONS ? begin_session(s, fd) : NULL;
    if (!one)
        return td_fail_no_memory(err, "for a connection to the board");
    s->sessions[s->count++] = one;
    return 0;
}

void td_board_server_destroy(struct td_board_server *s)
{
    if (!s)
        return;
    while (s->count)
        end_session(s->sessions[--s->count]);
    if (s->listening >= 0) {
        close(s->listening);
        unlink(s->path);
    }
    free(s);
}

size_t td_board_server_fds(const struct td_board_server *s, struct pollfd *fds, size_t room)
{
    size_t n = 0;
    if (n < room && s->listening >= 0 && s->count < MAX_SESSIONS)
        fds[n++] = (struct pollfd){s->listening, POLLIN, 0};
    for (size_t i = 0; n < room && i < s->count; i++)
        fds[n++] = (struct pollfd){s->sessions[i]->link->ops->fd(s->sessions[i]->link), POLLIN, 0};
    return n;
}

/* Answers at most one request of each program, and removes those that have hung up. Returns the requests, and adds
 * those to *more that another one probably follows at once: not those for slots. */
static size_t answer_each(struct td_board_server *s, size_t *more)
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
            const struct td_probe_head *head = one->in;
            *more += (size_t)bytes >= sizeof *head && head->type != TD_PROBE_TAKE;
            td_probe_message(&one->probe, one->in, (uint32_t)bytes, (uint32_t)td_mono_ms());
            requests++;
        }
        i++;
    }
    return requests;
}

/* Asking for a connection that is not there costs more. */
static bool is_asked_for(int listening)
{
    return poll(&(struct pollfd){listening, POLLIN, 0}, 1, 0) > 0;
}

static void accept_programs(struct td_board_server *s, int64_t now_ns)
{
    if (now_ns - s->accepted_ns < ACCEPT_NS)
        return;
    s->accepted_ns = now_ns;
    while (s->listening >= 0 && s->count < MAX_SESSIONS && is_asked_for(s->listening)) {
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
    size_t requests = 0, more = 0, now;
    do {
        accept_programs(s, td_mono_ns());
        now = answer_each(s, &more);
        requests += now;
        /* Who has other work than to wait does that. */
    } while (td_mono_ns() - began < TURN_NS && (now || (more && !s->gathers && wait_for_next(s))));
    s->left = now != 0;
    if (more)
        s->asked_ns = td_mono_ns();
    return requests;
}

bool td_board_server_is_busy(const struct td_board_server *s)
{
    return s->asked_ns && td_mono_ns() - s->asked_ns < BUSY_NS;
}

void td_board_server_idle(struct td_board_server *s)
{
    const uint32_t now_ms = (uint32_t)td_mono_ms();
    for (size_t i = 0; i < s->count; i++)
        while (td_probe_idle(&s->sessions[i]->probe, now_ms))
            s->left = true; /* a link that was full has read what arrived meanwhile */
}

uint32_t td_board_server_fullest(struct td_board_server *s, uint32_t *ring_slots)
{
    uint32_t most = 0;
    for (size_t i = 0; i < s->count; i++) {
        const uint32_t one = td_probe_is_gathering(&s->sessions[i]->probe)
                                 ? td_probe_fullest(&s->sessions[i]->probe, ring_slots)
                                 : 0;
        most = one > most ? one : most;
    }
    return most;
}

bool td_board_server_is_gathering(const struct td_board_server *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (td_probe_is_gathering(&s->sessions[i]->probe))
            return true;
    return false;
}

bool td_board_server_keep_slots(struct td_board_server *s)
{
    bool all = true;
    for (size_t i = 0; i < s->count; i++)
        if (td_probe_is_gathering(&s->sessions[i]->probe))
            all &= td_probe_keep_slots(&s->sessions[i]->probe);
    return all;
}

bool td_board_server_has_drained(const struct td_board_server *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (td_probe_is_gathering(&s->sessions[i]->probe) && !td_probe_awaits_slots(&s->sessions[i]->probe))
            return false;
    return true;
}

bool td_board_server_has_left(const struct td_board_server *s)
{
    return s->left;
}

size_t td_board_server_count(const struct td_board_server *s)
{
    return s->count;
}
