/* The transport of a board behind a probe: each call is a request over the link. */
#include "host/base/clock.h"
#include "host/transport/remote_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HEAD_BYTES   sizeof(struct td_probe_head)
#define QUIET_MS     500 /* without a byte from the probe: the request is repeated */
#define TRIES        8
#define CLOCK_TRIES  4
#define WHOLE_MS     12000 /* the same on links that lose nothing: more than a probe waits for its board */
#define LONGEST_MS   60000 /* whatever arrives meanwhile */
#define FRESH_NS     200000000
#define SHORT_BYTES  2048 /* messages on lossy ways, where damage costs the whole message */
#define MAX_DESCRIBE (1u << 20)
#define FILL_FROM    64 /* bytes alike, from where on FILL is shorter */

int td_remote_gone(struct td_remote *r, struct td_err *err, const char *text)
{
    if (!r->gone.code)
        td_fail(&r->gone, TD_E_GONE, "%s", text);
    return td_fail(err, TD_E_GONE, "%s", r->gone.text);
}

/* An error of the link: one that is for good stays. */
static int link_failed(struct td_remote *r, const struct td_err *why, struct td_err *err)
{
    if (why->code == TD_E_GONE || why->code == TD_E_IO || why->code == TD_E_TIMEOUT)
        return td_remote_gone(r, err, why->text);
    return td_fail(err, why->code, "%s", why->text);
}

const uint8_t *td_remote_payload(const struct td_remote *r)
{
    return r->in + HEAD_BYTES;
}

int td_remote_send(struct td_remote *r, enum td_probe_type type, uint16_t *seq, const void *a, size_t a_bytes,
                   const void *b, size_t b_bytes, struct td_err *err)
{
    struct td_err why = {0};
    if (r->gone.code)
        return td_remote_gone(r, err, "");
    if (*seq == 0) {
        r->seq = r->seq == UINT16_MAX ? 1 : (uint16_t)(r->seq + 1);
        *seq = r->seq;
    }
    const struct td_probe_head head = {(uint8_t)type, 0, 0, *seq, (uint16_t)(a_bytes + b_bytes)};
    memcpy(r->out, &head, HEAD_BYTES);
    if (a_bytes)
        memcpy(r->out + HEAD_BYTES, a, a_bytes);
    if (b_bytes)
        memcpy(r->out + HEAD_BYTES + a_bytes, b, b_bytes);
    if (r->link->ops->send(r->link, r->out, HEAD_BYTES + a_bytes + b_bytes, &why) < 0)
        return link_failed(r, &why, err);
    return 0;
}

int td_remote_pump(struct td_remote *r, int timeout_ms, struct td_err *err)
{
    struct td_err why = {0};
    if (r->gone.code)
        return td_remote_gone(r, err, "");
    int bytes = r->link->ops->receive(r->link, r->in, TD_PROBE_MAX_BYTES, timeout_ms, &why);
    if (bytes < 0)
        return link_failed(r, &why, err);
    if (bytes == 0)
        return TD_REMOTE_NOTHING;
    if ((size_t)bytes >= HEAD_BYTES)
        memcpy(&r->head, r->in, HEAD_BYTES);
    if ((size_t)bytes < HEAD_BYTES || r->head.bytes != bytes - HEAD_BYTES ||
        !(r->head.type & TD_PROBE_ANSWER))
        return TD_REMOTE_LANES; /* nothing that a probe says */
    r->heard_ns = td_mono_ns();
    int rc = td_remote_gather_take_in(r, err);
    return rc < 0 ? rc : rc ? TD_REMOTE_LANES : TD_REMOTE_ANSWER;
}

/* The probe's own words, fit to be printed in one line. */
int td_remote_refused(struct td_remote *r, struct td_err *err)
{
    char text[TD_PROBE_MIN_BYTES];
    size_t n = r->head.bytes < sizeof text - 1 ? r->head.bytes : sizeof text - 1;
    memcpy(text, td_remote_payload(r), n);
    text[n] = 0;
    for (size_t i = 0; i < n; i++)
        if (!isprint((unsigned char)text[i]))
            text[i] = '?';
    int code = r->head.status >= TD_E_LIMIT ? r->head.status : TD_E_FORMAT;
    if (code == TD_E_GONE)
        return td_remote_gone(r, err, n ? text : "the board behind the probe is gone");
    return td_fail(err, code, "%s", n ? text : "the probe refuses, and does not say why");
}

static int is_answer_to(const struct td_remote *r, enum td_probe_type type, uint16_t seq)
{
    if (r->head.type != (type | TD_PROBE_ANSWER))
        return 0;
    /* A probe that has a host already says so without having read what this one asks. */
    return r->head.seq == seq || (type == TD_PROBE_HELLO && r->head.seq == 0 && r->head.status < 0);
}

/* How long the way may be quiet before an answer begins to arrive. */
static int64_t patience_ns(const struct td_remote *r, size_t bytes)
{
    int64_t ms = r->link->lossy ? QUIET_MS : WHOLE_MS;
    if (r->link->bytes_per_s)
        ms += (int64_t)(2 * bytes * 1000 / r->link->bytes_per_s);
    return ms * 1000000;
}

/* 1: the answer is here, 0: it did not come in time. */
static int await(struct td_remote *r, enum td_probe_type type, uint16_t seq, size_t bytes, struct td_err *err)
{
    const int64_t start = td_mono_ns(), patience = patience_ns(r, bytes);
    int64_t quiet_since = start, now = start;
    uint64_t bytes_in = r->link->stats.bytes_in;
    while (now - quiet_since < patience && now - start < LONGEST_MS * INT64_C(1000000)) {
        int rc = td_remote_pump(r, (int)((patience - (now - quiet_since)) / 1000000) + 1, err);
        if (rc < 0)
            return rc;
        if (rc == TD_REMOTE_ANSWER && is_answer_to(r, type, seq)) {
            td_remote_gather_passed(r, seq);
            return 1;
        }
        now = td_mono_ns();
        if (rc != TD_REMOTE_NOTHING || r->link->stats.bytes_in != bytes_in)
            quiet_since = now;
        bytes_in = r->link->stats.bytes_in;
    }
    return 0;
}

static int silent(struct td_remote *r, enum td_probe_type type, struct td_err *err)
{
    char text[200];
    if (type == TD_PROBE_HELLO)
        snprintf(text, sizeof text, "no probe answers at this end (%s)", r->ops.name);
    else
        snprintf(text, sizeof text, "the probe (%s) does not answer any more", r->ops.name);
    return td_remote_gone(r, err, text);
}

static int ask_once(struct td_remote *r, enum td_probe_type type, const void *a, size_t a_bytes,
                    const void *b, size_t b_bytes, void *to, size_t room, size_t least, size_t *got,
                    struct td_err *err)
{
    uint16_t seq = 0;
    int answered = 0;
    for (int i = 0; !answered && i < (r->link->lossy ? TRIES : 1); i++) {
        int rc = td_remote_send(r, type, &seq, a, a_bytes, b, b_bytes, err);
        if (rc)
            return rc;
        answered = await(r, type, seq, HEAD_BYTES + a_bytes + b_bytes + room, err);
        if (answered < 0)
            return answered;
    }
    if (!answered)
        return silent(r, type, err);
    if (r->head.status < 0)
        return td_remote_refused(r, err);
    if (r->head.bytes < least || (to && r->head.bytes > room))
        return td_fail(err, TD_E_FORMAT, "the probe's answers do not make sense");
    if (to)
        memcpy(to, td_remote_payload(r), r->head.bytes);
    if (got)
        *got = r->head.bytes;
    return 0;
}

int td_remote_ask(struct td_remote *r, enum td_probe_type type, const void *a, size_t a_bytes, const void *b,
                  size_t b_bytes, void *to, size_t room, size_t least, size_t *got, struct td_err *err)
{
    struct td_err why = {0};
    int rc = ask_once(r, type, a, a_bytes, b, b_bytes, to, room, least, got, &why);
    if (rc == TD_E_GONE && td_remote_come_back(r)) {
        why = (struct td_err){0};
        rc = ask_once(r, type, a, a_bytes, b, b_bytes, to, room, least, got, &why);
    }
    return rc < 0 ? td_fail(err, rc, "%s", why.text) : rc;
}

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
        n = piece(address + done, bytes - done, r->max_bytes - HEAD_BYTES);
        const struct td_probe_place place = place_of(at, address + done, n);
        rc = td_remote_ask(r, TD_PROBE_READ, &place, sizeof place, NULL, 0, (char *)to + done, n, n, NULL,
                           err);
    }
    return rc;
}

/* Is it one word again and again? */
static int is_fill(uint64_t address, const uint8_t *from, size_t bytes)
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
        n = piece(address + done, bytes - done, r->max_bytes - HEAD_BYTES - sizeof(struct td_probe_place));
        const struct td_probe_place place = place_of(at, address + done, n);
        rc = td_remote_ask(r, TD_PROBE_WRITE, &place, sizeof place, (const char *)from + done, n, NULL, 0, 0,
                           NULL, err);
    }
    return rc;
}

/* Each try is a request of its own, so that times and answer belong together. */
static int read_clock(struct td_remote *r, struct td_tile_at at, struct td_clock_sample *sample,
                      struct td_err *err)
{
    const struct td_probe_place place = place_of(at, 0, 0);
    int rc = td_remote_gather_hush(r, err);
    for (int i = 0; rc == 0 && i < (r->link->lossy ? CLOCK_TRIES : 1); i++) {
        uint16_t seq = 0;
        sample->host_before = td_host_ticks_ordered();
        if ((rc = td_remote_send(r, TD_PROBE_CLOCK, &seq, &place, sizeof place, NULL, 0, err)))
            return rc;
        if ((rc = await(r, TD_PROBE_CLOCK, seq, HEAD_BYTES, err)) < 0)
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
    return rc ? rc : silent(r, TD_PROBE_CLOCK, err);
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

static int say_hello(struct td_remote *r, struct td_err *err)
{
    const struct td_probe_hello mine = {.version = TD_PROBE_VERSION,
                                        .max_bytes = r->link->lossy ? SHORT_BYTES : TD_PROBE_MAX_BYTES};
    int rc = td_remote_ask(r, TD_PROBE_HELLO, &mine, sizeof mine, NULL, 0, &r->hello, sizeof r->hello,
                           sizeof r->hello, NULL, err);
    if (rc)
        return rc;
    if (r->hello.version != TD_PROBE_VERSION)
        return td_fail(err, TD_E_VERSION, "the probe speaks version %u, this program knows %u",
                       r->hello.version, TD_PROBE_VERSION);
    if (r->hello.max_bytes < TD_PROBE_MIN_BYTES || r->hello.max_bytes > mine.max_bytes ||
        r->hello.description_bytes > MAX_DESCRIBE)
        return td_fail(err, TD_E_FORMAT, "the probe's answers do not make sense");
    r->max_bytes = r->hello.max_bytes & ~7u;
    r->hello.grid[sizeof r->hello.grid - 1] = 0;
    r->hello.name[sizeof r->hello.name - 1] = 0;
    if (!(r->hello.flags & TD_PROBE_HAS_CONTROL))
        r->ops.control = NULL;
    return 0;
}

int td_remote_come_back(struct td_remote *r)
{
    struct td_err why = {0};
    struct td_link *again = NULL;
    if (!r->coming_back && r->link->ops->reopen)
        again = r->link->ops->reopen(r->link, &why);
    if (!again)
        return 0;
    r->link = again;
    r->gone = (struct td_err){0};
    td_remote_gather_lose(r);
    r->coming_back = 1;
    int rc = say_hello(r, &why);
    r->coming_back = 0;
    if (rc)
        td_remote_gone(r, NULL, why.text);
    return rc == 0;
}

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
    int rc = say_hello(r, err);
    if (rc == 0)
        rc = fetch_description(r, err);
    if (rc == 0)
        rc = td_transport_control(&r->base, TD_CONTROL_CLOCK_MODE, 0, &clock_mode, err);
    r->virtual_time = clock_mode == 1;
    return rc;
}

struct td_transport *td_remote_open(struct td_link *link, const char *name, struct td_err *err)
{
    struct td_remote *r = calloc(1, sizeof *r);
    if (!r) {
        td_fail(err, TD_E_NOMEM, "out of memory");
        link->ops->close(link);
        return NULL;
    }
    r->link = link;
    r->ops = remote_ops;
    r->ops.name = name;
    r->base.ops = &r->ops;
    r->base.exclusive = 1;
    r->base.cleans_up = 1;
    r->in = malloc(TD_PROBE_MAX_BYTES);
    r->out = malloc(TD_PROBE_MAX_BYTES);
    r->max_bytes = TD_PROBE_MIN_BYTES;
    /* Not where an earlier host's numbers began. */
    r->seq = (uint16_t)(td_mono_ns() / 1000);
    td_remote_gather_init(r);
    if (!r->in || !r->out)
        td_fail(err, TD_E_NOMEM, "out of memory");
    else if (set_up(r, err) == 0)
        return &r->base;
    remote_close(&r->base);
    return NULL;
}

const struct td_link *td_remote_link(const struct td_transport *t)
{
    return ((const struct td_remote *)t)->link;
}
