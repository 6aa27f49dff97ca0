/* Messages of a remote transport: sending, receiving, and their errors. */
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/transport/link/remote_internal.h"

#include <ctype.h>
#include <string.h>

int td_remote_gone(struct td_remote *r, struct td_err *err, const char *text)
{
    if (!r->gone.code)
        td_debug(probe, "%s: the session is lost: %s", r->ops.name, text);
    if (!r->gone.code)
        td_fail(&r->gone, TD_E_GONE, "%s", text);
    return td_fail(err, TD_E_GONE, "%s", r->gone.text);
}

/* Reports an error of the link. A permanent one is kept, so that later calls fail at once. */
static int link_failed(struct td_remote *r, const struct td_err *why, struct td_err *err)
{
    if (why->code == TD_E_GONE || why->code == TD_E_IO || why->code == TD_E_TIMEOUT)
        return td_remote_gone(r, err, why->text);
    return td_fail(err, why->code, "%s", why->text);
}

const char *td_remote_type_name(enum td_probe_type type)
{
    switch (type) {
#define TD_X(number, name, request, answer, what)                                                            \
    case TD_PROBE_##name:                                                                                    \
        return #name;
        TD_PROBE_MESSAGES(TD_X)
#undef TD_X
    default:
        return "of an unknown type";
    }
}

const uint8_t *td_remote_payload(const struct td_remote *r)
{
    return r->in + TD_REMOTE_HEAD_BYTES;
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
    td_debug(probe, "%s: request %u %s, %zu bytes", r->ops.name, *seq, td_remote_type_name(type),
             a_bytes + b_bytes);
    memcpy(r->out, &head, TD_REMOTE_HEAD_BYTES);
    if (a_bytes)
        memcpy(r->out + TD_REMOTE_HEAD_BYTES, a, a_bytes);
    if (b_bytes)
        memcpy(r->out + TD_REMOTE_HEAD_BYTES + a_bytes, b, b_bytes);
    if (r->link->ops->send(r->link, r->out, TD_REMOTE_HEAD_BYTES + a_bytes + b_bytes, &why) < 0)
        return link_failed(r, &why, err);
    return 0;
}

int td_remote_receive(struct td_remote *r, int timeout_ms, struct td_err *err)
{
    struct td_err why = {0};
    if (r->gone.code)
        return td_remote_gone(r, err, "");
    int bytes = r->link->ops->receive(r->link, r->in, TD_PROBE_MAX_BYTES, timeout_ms, &why);
    if (bytes < 0)
        return link_failed(r, &why, err);
    if (bytes == 0)
        return TD_REMOTE_NOTHING;
    if ((size_t)bytes >= TD_REMOTE_HEAD_BYTES)
        memcpy(&r->head, r->in, TD_REMOTE_HEAD_BYTES);
    if ((size_t)bytes < TD_REMOTE_HEAD_BYTES || r->head.bytes != bytes - TD_REMOTE_HEAD_BYTES ||
        !(r->head.type & TD_PROBE_ANSWER)) {
        td_debug(probe, "%s: %d bytes that no probe sends are ignored", r->ops.name, bytes);
        return TD_REMOTE_LANES; /* not a probe's */
    }
    r->heard_ns = td_mono_ns();
    td_debug(probe, "%s: answer %u %s, %u bytes, status %d", r->ops.name, r->head.seq,
             td_remote_type_name((enum td_probe_type)(r->head.type & ~TD_PROBE_ANSWER)), r->head.bytes,
             r->head.status);
    return TD_REMOTE_ANSWER;
}

/* The text comes from the probe: makes it printable in one line. */
int td_remote_refused(struct td_remote *r, struct td_err *err)
{
    char text[TD_PROBE_MIN_BYTES];
    size_t n = r->head.bytes < sizeof text - 1 ? r->head.bytes : sizeof text - 1;
    memcpy(text, td_remote_payload(r), n);
    text[n] = 0;
    for (size_t i = 0; i < n; i++)
        if (!isprint((unsigned char)text[i]))
            text[i] = '?';
    r->given_up = r->head.status == TD_PROBE_GIVEN_UP;
    td_debug(probe, "%s: refused with status %d: %s", r->ops.name, r->head.status, text);
    if (r->given_up)
        return td_remote_gone(r, err, n ? text : "the probe has ended the session");
    int code = r->head.status >= TD_E_LIMIT ? r->head.status : TD_E_FORMAT;
    if (code == TD_E_GONE)
        return td_remote_gone(r, err, n ? text : "the probe's board is gone");
    return td_fail(err, code, "%s", n ? text : "the probe refuses without giving a reason");
}
