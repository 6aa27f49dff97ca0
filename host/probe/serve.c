#include "host/probe/serve.h"

#include "host/base/clock.h"

#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    LANES = 16384,
    FILL_BYTES = 4096,
    BUSY_NS = 100000,                      /* between polls of lanes that had packets lately */
    CALM_NS = 1000000,                     /* between polls of lanes that had none */
    WATCH_NS = TD_PROBE_LOOK_MS * 1000000, /* with a host that does not gather lanes */
    REST_NS = 100000000,                   /* without a host */
    CALM_AFTER = 200,                      /* polls without a packet */
    BOARD_EVERY_MS = 250,                  /* between checks of the board */
    LAST_WORDS_MS = 1000                   /* for reporting to the host that the board was removed */
};

struct td_probe_server {
    struct td_probe probe;
    struct td_transport *t;
    struct td_link *link;
    struct td_err link_err;
    struct td_probe_lane_state *lanes;
    void *out, *in; /* TD_PROBE_MAX_BYTES each */
};

static struct td_tile_at tile_of(struct td_probe_at at)
{
    return (struct td_tile_at){at.chip, at.x, at.y};
}

static int copy_reason(int rc, const struct td_err *err, char *why)
{
    if (rc < 0)
        snprintf(why, TD_PROBE_WHY_BYTES, "%.*s", TD_PROBE_WHY_BYTES - 1, err->text);
    return rc;
}

static int board_read(void *self, struct td_probe_at at, uint64_t address, void *to, uint32_t bytes,
                      char *why)
{
    struct td_transport *t = self;
    struct td_err err = {0};
    return copy_reason(t->ops->read(t, tile_of(at), address, to, bytes, &err), &err, why);
}

static int board_write(void *self, struct td_probe_at at, uint64_t address, const void *from, uint32_t bytes,
                       char *why)
{
    struct td_transport *t = self;
    struct td_err err = {0};
    return copy_reason(t->ops->write(t, tile_of(at), address, from, bytes, &err), &err, why);
}

static int board_fill(void *self, struct td_probe_at at, uint64_t address, uint32_t word, uint32_t bytes,
                      char *why)
{
    uint32_t piece[FILL_BYTES / 4];
    int rc = 0;
    for (size_t i = 0; i < FILL_BYTES / 4 && i < bytes / 4; i++)
        piece[i] = word;
    for (uint32_t done = 0, n; rc == 0 && done < bytes; done += n) {
        n = bytes - done < FILL_BYTES ? bytes - done : FILL_BYTES;
        rc = board_write(self, at, address + done, piece, n, why);
    }
    return rc;
}

static void *board_map(void *self, struct td_probe_at at, uint64_t address, uint32_t bytes)
{
    struct td_transport *t = self;
    return t->ops->map ? t->ops->map(t, tile_of(at), address, bytes) : NULL;
}

static int board_clock(void *self, struct td_probe_at at, uint64_t *ticks, char *why)
{
    struct td_transport *t = self;
    struct td_err err = {0};
    struct td_clock_sample sample = {0};
    int rc = t->ops->clock(t, tile_of(at), &sample, &err);
    *ticks = sample.ticks;
    return copy_reason(rc, &err, why);
}

static int board_control(void *self, uint32_t what, uint64_t value, uint64_t *out, char *why)
{
    struct td_transport *t = self;
    struct td_err err = {0};
    return copy_reason(t->ops->control(t, (enum td_control)what, value, out, &err), &err, why);
}

static int board_alive(void *self, char *why)
{
    struct td_transport *t = self;
    struct td_err err = {0};
    return copy_reason(t->ops->alive(t, &err), &err, why);
}

void td_probe_board_of(struct td_transport *t, struct td_probe_board *board)
{
    const char *text = NULL, *grid = NULL;
    if (t->ops->describe && t->ops->describe(t, &text, &grid, NULL))
        text = grid = NULL;
    *board = (struct td_probe_board){.read = board_read,
                                     .write = board_write,
                                     .fill = board_fill,
                                     .map = board_map,
                                     .clock = board_clock,
                                     .control = t->ops->control ? board_control : NULL,
                                     .alive = t->ops->alive ? board_alive : NULL,
                                     .description = text,
                                     .grid = grid,
                                     .self = t};
}

static int send_message(void *self, const void *message, uint32_t bytes)
{
    struct td_probe_server *s = self;
    return s->link->ops->send(s->link, message, bytes, &s->link_err);
}

static void notify(void *self)
{
    struct td_probe_server *s = self;
    if (s->link->ops->notify)
        s->link->ops->notify(s->link);
}

struct td_probe_server *td_probe_server_create(struct td_transport *t, const char *name, struct td_err *err)
{
    struct td_probe_server *s = calloc(1, sizeof *s);
    if (s) {
        s->t = t;
        s->lanes = calloc(LANES, sizeof *s->lanes);
        s->out = aligned_alloc(64, TD_PROBE_MAX_BYTES);
        s->in = aligned_alloc(64, TD_PROBE_MAX_BYTES);
    }
    if (!s || !s->lanes || !s->out || !s->in) {
        td_fail_no_memory(err, "for a probe");
        td_probe_server_destroy(s);
        return NULL;
    }
    struct td_probe_config config = {.link = {.send = send_message, .notify = notify, .self = s},
                                     .out = s->out,
                                     .out_bytes = TD_PROBE_MAX_BYTES,
                                     .lanes = s->lanes,
                                     .lane_capacity = LANES};
    td_probe_board_of(t, &config.board);
    config.board.name = name;
    if (td_probe_init(&s->probe, &config)) {
        td_fail(err, TD_E_USAGE, "this board cannot be reached through a probe");
        td_probe_server_destroy(s);
        return NULL;
    }
    return s;
}

/* Waits for a message, or until the next poll of the lanes is due. True: the extra descriptor is readable and
 * the link is not, so its host may be gone. */
static bool wait_for_extra(const struct td_probe_server *s, unsigned calm, int extra_fd)
{
    const int fd = s->link->ops->fd ? s->link->ops->fd(s->link) : -1;
    long ns = !td_probe_has_session(&s->probe)    ? REST_NS
              : !td_probe_is_gathering(&s->probe) ? WATCH_NS
              : calm < CALM_AFTER                 ? BUSY_NS
                                                  : CALM_NS;
    if (fd < 0 && ns > CALM_NS)
        ns = CALM_NS;
    struct pollfd p[2] = {{fd, POLLIN, 0}, {extra_fd, POLLIN, 0}};
    struct timespec t = {0, ns};
    return ppoll(p, 2, &t, NULL) > 0 && p[1].revents && !p[0].revents;
}

/* After the board was removed: the engine reports it in its next answer, for LAST_WORDS_MS; then serving
 * ends. */
struct board_watch {
    uint32_t next_ms, gone_ms;
    int code;
};

static int watch_board(struct td_probe_server *s, struct board_watch *w, struct td_err *err)
{
    const uint32_t now = (uint32_t)td_mono_ms();
    if (w->code)
        return now - w->gone_ms < LAST_WORDS_MS ? 0 : w->code;
    if ((int32_t)(now - w->next_ms) < 0 || !s->t->ops->alive)
        return 0;
    w->next_ms = now + BOARD_EVERY_MS;
    w->code = s->t->ops->alive(s->t, err);
    w->gone_ms = now;
    return 0;
}

static int serve(struct td_probe_server *s, const volatile int *stop, int extra_fd, void (*extra)(void *self),
                 void *self, struct td_err *err)
{
    struct board_watch watch = {.next_ms = (uint32_t)td_mono_ms()};
    struct td_err why = {0};
    unsigned calm = 0;
    while (!*stop) {
        int bytes = s->link->ops->receive(s->link, s->in, TD_PROBE_MAX_BYTES, 0, &why);
        if (bytes == TD_E_GONE)
            return watch.code;
        if (bytes < 0)
            return td_fail(err, bytes, "%s", why.text);
        if (bytes > 0) {
            td_probe_message(&s->probe, s->in, (uint32_t)bytes, (uint32_t)td_mono_ms());
            calm = 0;
            continue;
        }
        int rc = watch_board(s, &watch, err);
        if (rc)
            return rc;
        if (td_probe_idle(&s->probe, (uint32_t)td_mono_ms())) {
            calm = 0;
            continue;
        }
        calm += calm < CALM_AFTER;
        if (!wait_for_extra(s, calm, extra_fd))
            continue;
        if (td_probe_was_given_up(&s->probe))
            return 0;
        extra(self);
    }
    return 0;
}

int td_probe_server_run(struct td_probe_server *s, struct td_link *link, const volatile int *stop,
                        int extra_fd, void (*extra)(void *self), void *self, struct td_err *err)
{
    s->link = link;
    s->link_err = (struct td_err){0};
    int rc = serve(s, stop, extra_fd, extra, self, err);
    td_probe_end(&s->probe);
    s->link = NULL;
    return rc;
}

void td_probe_server_destroy(struct td_probe_server *s)
{
    if (!s)
        return;
    free(s->lanes);
    free(s->out);
    free(s->in);
    free(s);
}
