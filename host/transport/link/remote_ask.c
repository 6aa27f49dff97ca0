/* Requests of a remote transport: repeated until they are answered, because links may lose messages, and
 * sent in a new session when the link was lost and has come back. */
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/transport/link/remote_internal.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define QUIET_MS 500 /* without a byte from the probe: the request is repeated */
#define WHOLE_MS                                                                                             \
    12000 /* of silence until the probe counts as gone: longer than a probe waits for its board */
#define LONGEST_MS   60000 /* for one answer, even if other messages arrive */
#define SHORT_BYTES  2048  /* longest message where damage, which costs the whole message, is not rare */
#define MAX_DESCRIBE (1u << 20)

int td_remote_pump(struct td_remote *r, int timeout_ms, struct td_err *err)
{
    int rc = td_remote_receive(r, timeout_ms, err);
    if (rc != TD_REMOTE_ANSWER)
        return rc;
    rc = td_remote_gather_take_in(r, err);
    return rc < 0 ? rc : rc ? TD_REMOTE_LANES : TD_REMOTE_ANSWER;
}

static bool is_answer_to(const struct td_remote *r, enum td_probe_type type, uint16_t seq)
{
    if (r->head.type != (type | TD_PROBE_ANSWER))
        return false;
    /* A probe that already has a host refuses without having read the request. */
    return r->head.seq == seq || (type == TD_PROBE_HELLO && r->head.seq == 0 && r->head.status < 0);
}

/* Those that do not end the wait of requests for slots. */
static bool is_of_a_place(enum td_probe_type type)
{
    return type == TD_PROBE_READ || type == TD_PROBE_WRITE || type == TD_PROBE_FILL || type == TD_PROBE_CLOCK;
}

int td_remote_tries(const struct td_remote *r)
{
    return r->link->lossy ? WHOLE_MS / QUIET_MS : 1;
}

/* How long the link may be silent before an answer begins to arrive. */
static int64_t patience_ns(const struct td_remote *r, size_t bytes)
{
    int64_t ms = r->link->lossy ? QUIET_MS : WHOLE_MS;
    if (r->link->bytes_per_s)
        ms += (int64_t)(2 * bytes * 1000 / r->link->bytes_per_s);
    return ms * 1000000;
}

int td_remote_await(struct td_remote *r, enum td_probe_type type, uint16_t seq, size_t bytes,
                    struct td_err *err)
{
    const int64_t start = td_mono_ns(), patience = patience_ns(r, bytes), look = QUIET_MS * INT64_C(1000000);
    int64_t quiet = 0, now = start;
    uint64_t bytes_in = r->link->stats.bytes_in;
    while (quiet < patience && now - start < LONGEST_MS * INT64_C(1000000)) {
        const int64_t left = patience - quiet < look ? patience - quiet : look, before = now;
        int rc = td_remote_pump(r, (int)(left / 1000000) + 1, err);
        if (rc < 0)
            return rc;
        if (rc == TD_REMOTE_ANSWER && is_answer_to(r, type, seq)) {
            if (!r->takes_wait || !is_of_a_place(type))
                td_remote_gather_passed(r, seq);
            return 1;
        }
        now = td_mono_ns();
        quiet += td_waited_ns(now - before, look);
        if (rc != TD_REMOTE_NOTHING || r->link->stats.bytes_in != bytes_in)
            quiet = 0;
        bytes_in = r->link->stats.bytes_in;
    }
    td_debug(probe, "%s: no answer to request %u %s after %lld ms", r->ops.name, seq,
             td_remote_type_name(type), (long long)((now - start) / 1000000));
    return 0;
}

int td_remote_silent(struct td_remote *r, enum td_probe_type type, struct td_err *err)
{
    char text[200];
    if (type == TD_PROBE_HELLO)
        snprintf(text, sizeof text, "no probe answers (%s)", r->ops.name);
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
    for (int i = 0, tries = td_remote_tries(r); !answered && i < tries; i++) {
        if (i)
            td_debug(probe, "%s: request %u %s is repeated, try %d of %d", r->ops.name, seq,
                     td_remote_type_name(type), i + 1, tries);
        int rc = td_remote_send(r, type, &seq, a, a_bytes, b, b_bytes, err);
        if (rc)
            return rc;
        answered = td_remote_await(r, type, seq, TD_REMOTE_HEAD_BYTES + a_bytes + b_bytes + room, err);
        if (answered < 0)
            return answered;
    }
    if (!answered)
        return td_remote_silent(r, type, err);
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

int td_remote_hello(struct td_remote *r, struct td_err *err)
{
    const struct td_probe_hello mine = {
        .version = TD_PROBE_VERSION,
        .flags = r->link->is_local ? TD_PROBE_TAKES_WAIT : 0,
        .max_bytes = r->link->lossy && !r->link->is_local ? SHORT_BYTES : TD_PROBE_MAX_BYTES};
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
    td_debug(probe,
             "%s: session with probe '%s', grid %s, messages of up to %u bytes, description of %u bytes",
             r->ops.name, r->hello.name, r->hello.grid[0] ? r->hello.grid : "of the description",
             r->max_bytes, r->hello.description_bytes);
    r->takes_wait = (mine.flags & r->hello.flags & TD_PROBE_TAKES_WAIT) != 0;
    if (!(r->hello.flags & TD_PROBE_HAS_CONTROL))
        r->ops.control = NULL;
    return 0;
}

int td_remote_come_back(struct td_remote *r)
{
    struct td_err why = {0};
    struct td_link *again = r->given_up ? r->link : NULL;
    if (r->coming_back)
        return 0;
    if (!again && r->link->ops->reopen)
        again = r->link->ops->reopen(r->link, &why);
    td_debug(probe, "%s: the way to the probe %s", r->ops.name,
             !again        ? "has not come back"
             : r->given_up ? "is open, but the probe has given this host up: beginning a new session"
                           : "has come back: beginning a new session");
    if (!again)
        return 0;
    r->link = again;
    r->given_up = 0;
    r->gone = (struct td_err){0};
    td_remote_gather_lose(r);
    r->coming_back = 1;
    int rc = td_remote_hello(r, &why);
    r->coming_back = 0;
    td_debug(probe, "%s: new session: %s", r->ops.name, rc ? why.text : "begun; lanes are handed over anew");
    if (rc)
        td_remote_gone(r, NULL, why.text);
    return rc == 0;
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
