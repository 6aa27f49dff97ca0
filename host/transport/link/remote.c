/* The transport of a board that a probe reaches: each call is a request over the link. */
#include "host/base/clock.h"
#include "host/transport/link/remote_internal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FRESH_NS  200000000
#define FILL_FROM 64 /* bytes; from here on FILL is shorter than WRITE for equal words */

static struct td_probe_place place_of(struct td_tile_at at, uint64_t address, size_t bytes)
{
    return (struct td_probe_place){
        .chip = at.chip, .x = at.x, .y = at.y, .address = address, .bytes = (uint32_t)bytes};
}

/* The next piece of an access: within a message, and no aligned 8 bytes are cut in two. */
static size_t piece(uint64_t address, size_t left, size_t most)
{
    most = (most & ~(size_t)7) - (address & 7);
    return left < most ? left : most;
}

static int remote_read(struct td_transport *t, struct td_tile_at at, uint64_t address, void *to, size_t bytes,
                       struct td_err *err)
{
    struct td_remote *r = (struct td_remote *)t;
    int rc = 0;
    for (size_t done = 0, n; rc == 0 && done < bytes; done += n) {
        n = piece(address + done, bytes - done, r->max_bytes - TD_REMOTE_HEAD_BYTES);
        const struct td_probe_place place = place_of(at, address + done, n);
        rc = td_remote_ask(r, TD_PROBE_READ, &place, sizeof place, NULL, 0, (char *)to + done, n, n, NULL,
                           err);
    }
    return rc;
}

/* Are all words equal? */
static bool is_fill(uint64_t address, const uint8_t *from, size_t bytes)
{
    return bytes >= FILL_FROM && bytes <= UINT32_MAX && address % 4 == 0 && bytes % 4 == 0 &&
           memcmp(from, from + 4, bytes - 4) == 0;
}

static int remote_write(struct td_transport *t, struct td_tile_at at, uint64_t address, const void *from,
                        size_t bytes, struct td_err *err)
{
    struct td_remote *r = (struct td_remote *)t;
    int rc = 0;
    if (is_fill(address, from, bytes)) {
        struct td_probe_place place = place_of(at, address, bytes);
        memcpy(&place.word, from, 4);
        return td_remote_ask(r, TD_PROBE_FILL, &place, sizeof place, NULL, 0, NULL, 0, 0, NULL, err);
    }
    for (size_t done = 0, n; rc == 0 && done < bytes; done += n) {
        n = piece(address + done, bytes - done,
                  r->max_bytes - TD_REMOTE_HEAD_BYTES - sizeof(struct td_probe_place));
        const struct td_probe_place place = place_of(at, address + done, n);
        rc = td_remote_ask(r, TD_PROBE_WRITE, &place, sizeof place, (const char *)from + done, n, NULL, 0, 0,
                           NULL, err);
    }
    return rc;
}

/* Each try is a new request, so that the times belong to the answer. */
static int read_clock(struct td_remote *r, struct td_tile_at at, struct td_clock_sample *sample,
                      struct td_err *err)
{
    const struct td_probe_place place = place_of(at, 0, 0);
    int rc = td_remote_gather_hush(r, err);
    for (int i = 0, tries = td_remote_tries(r); rc == 0 && i < tries; i++) {
        uint16_t seq = 0;
        sample->host_before = td_host_ticks_ordered();
        if ((rc = td_remote_send(r, TD_PROBE_CLOCK, &seq, &place, sizeof place, NULL, 0, err)))
            return rc;
        if ((rc = td_remote_await(r, TD_PROBE_CLOCK, seq, TD_REMOTE_HEAD_BYTES, err)) < 0)
            return rc;
        if (rc == 0)
            continue;
        sample->host_after = td_host_ticks_ordered();
        if (r->head.status < 0)
            return td_remote_refused(r, err);
        if (r->head.bytes != 8)
            return td_fail(err, TD_E_FORMAT, "the probe's answers do not make sense");
        memcpy(&sample->ticks, td_remote_payload(r), 8);
        return 0;
    }
    return rc ? rc : td_remote_silent(r, TD_PROBE_CLOCK, err);
}

static int remote_clock(struct td_transport *t, struct td_tile_at at, struct td_clock_sample *sample,
                        struct td_err *err)
{
    struct td_remote *r = (struct td_remote *)t;
    struct td_err why = {0};
    int rc = read_clock(r, at, sample, &why);
    if (rc == TD_E_GONE && td_remote_come_back(r)) {
        why = (struct td_err){0};
        rc = read_clock(r, at, sample, &why);
    }
    return rc < 0 ? td_fail(err, rc, "%s", why.text) : rc;
}

static int remote_alive(struct td_transport *t, struct td_err *err)
{
    struct td_remote *r = (struct td_remote *)t;
    if (r->gone.code && !td_remote_come_back(r))
        return td_remote_gone(r, err, "");
    if (td_mono_ns() - r->heard_ns < FRESH_NS)
        return 0;
    return td_remote_ask(r, TD_PROBE_PING, NULL, 0, NULL, 0, NULL, 0, 0, NULL, err);
}

static int remote_wait(struct td_transport *t, int timeout_ms, struct td_err *err)
{
    struct td_remote *r = (struct td_remote *)t;
    if (r->gather.lane_count && !r->virtual_time)
        return td_remote_gather_wait(r, timeout_ms, err);
    if (r->gone.code)
        return td_remote_gone(r, err, "");
    nanosleep(&(struct timespec){timeout_ms / 1000, timeout_ms % 1000 * 1000000L}, NULL);
    return 0;
}

static int remote_describe(struct td_transport *t, const char **text, const char **grid, struct td_err *err)
{
    struct td_remote *r = (struct td_remote *)t;
    *text = r->description;
    *grid = r->hello.grid;
    return 0;
}

static int remote_control(struct td_transport *t, enum td_control what, uint64_t value, uint64_t *out,
                          struct td_err *err)
{
    struct td_remote *r = (struct td_remote *)t;
    const struct td_probe_control c = {.what = (uint32_t)what, .value = value};
    uint64_t got = 0;
    int rc = td_remote_ask(r, TD_PROBE_CONTROL, &c, sizeof c, NULL, 0, &got, 8, 8, NULL, err);
    if (rc == 0 && out)
        *out = got;
    return rc;
}

static struct td_gather *remote_gather(struct td_transport *t)
{
    return &((struct td_remote *)t)->gather.base;
}

static void remote_close(struct td_transport *t)
{
    struct td_remote *r = (struct td_remote *)t;
    td_remote_gather_free(r);
    r->link->ops->close(r->link);
    free(r->description);
    free(r->in);
    free(r->out);
    free(r);
}

static const struct td_transport_ops remote_ops = {.read = remote_read,
                                                   .write = remote_write,
                                                   .clock = remote_clock,
                                                   .alive = remote_alive,
                                                   .wait = remote_wait,
                                                   .describe = remote_describe,
                                                   .control = remote_control,
                                                   .gather = remote_gather,
                                                   .close = remote_close};

static int fetch_description(struct td_remote *r, struct td_err *err)
{
    const size_t all = r->hello.description_bytes;
    if (all == 0) {
        r->ops.describe = NULL;
        return 0;
    }
    r->description = calloc(1, all + 1);
    if (!r->description)
        return td_fail(err, TD_E_NOMEM, "no memory for a board's description");
    for (size_t done = 0, got; done < all; done += got) {
        const uint32_t offset = (uint32_t)done;
        int rc = td_remote_ask(r, TD_PROBE_DESCRIBE, &offset, 4, NULL, 0, r->description + done, all - done,
                               1, &got, err);
        if (rc)
            return rc;
    }
    return 0;
}

static int set_up(struct td_remote *r, struct td_err *err)
{
    uint64_t clock_mode = 0;
    int rc = td_remote_hello(r, err);
    rc = rc ? rc : fetch_description(r, err);
    rc = rc ? rc : td_transport_control(&r->base, TD_CONTROL_CLOCK_MODE, 0, &clock_mode, err);
    r->virtual_time = clock_mode == TD_CLOCK_VIRTUAL;
    return rc;
}

struct td_transport *td_remote_open(struct td_link *link, const char *name, struct td_err *err)
{
    struct td_remote *r = calloc(1, sizeof *r);
    if (!r) {
        td_fail_no_memory(err, NULL);
        link->ops->close(link);
        return NULL;
    }
    r->link = link;
    r->ops = remote_ops;
    r->ops.name = name;
    r->base.ops = &r->ops;
    r->base.exclusive = r->base.asks = 1;
    r->base.cleans_up = 1;
    r->in = malloc(TD_PROBE_MAX_BYTES);
    r->out = malloc(TD_PROBE_MAX_BYTES);
    r->max_bytes = TD_PROBE_MIN_BYTES;
    /* Does not begin with the numbers of an earlier host. */
    r->seq = (uint16_t)(td_mono_ns() / 1000);
    td_remote_gather_init(r);
    if (!r->in || !r->out)
        td_fail_no_memory(err, NULL);
    else if (set_up(r, err) == 0)
        return &r->base;
    remote_close(&r->base);
    return NULL;
}

const struct td_link *td_remote_link(const struct td_transport *t)
{
    return ((const struct td_remote *)t)->link;
}
