#include "host/transport/link/stream.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/base/grow.h"
#include "proto/probe/frame.h"
#include "proto/probe/message.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    READ_BYTES = 65536,
    KEPT_BYTES = 65536,   /* until a message comes that no other one follows at once */
    HELD_BYTES = 4 << 20, /* received at most while this end waits for room to send */
    SEND_LOOKS = 10,      /* waits for room, without progress, until the other end counts as stuck */
    SEND_LOOK_MS = 500
};

struct stream {
    struct td_link base;
    int fd, is_socket, gone;
    char name[120];
    struct td_frame_decoder decoder;
    uint8_t message[TD_PROBE_MAX_BYTES + 4];
    uint8_t out[KEPT_BYTES + TD_FRAME_BYTES(TD_PROBE_MAX_BYTES)];
    size_t kept; /* bytes in out that wait for the next message */
    uint8_t *in; /* arrived, not decoded yet: from in_at to in_end */
    size_t in_at, in_end, in_room;
};

static int hung_up(struct stream *s, struct td_err *err)
{
    if (!s->gone)
        td_debug(line, "%s: the other end hung up after %llu bytes in, %llu out", s->name,
                 (unsigned long long)s->base.stats.bytes_in, (unsigned long long)s->base.stats.bytes_out);
    s->gone = 1;
    return td_fail(err, TD_E_GONE, "the other end of %s hung up", s->name);
}

/* Makes room for READ_BYTES more. false: HELD_BYTES are waiting already, or there is no memory. */
static bool make_room(struct stream *s)
{
    if (s->in_at == s->in_end)
        s->in_at = s->in_end = 0;
    if (s->in_room - s->in_end >= READ_BYTES)
        return true;
    memmove(s->in, s->in + s->in_at, s->in_end - s->in_at);
    s->in_end -= s->in_at;
    s->in_at = 0;
    if (s->in_room - s->in_end >= READ_BYTES)
        return true;
    return s->in_room < HELD_BYTES && td_grow(&s->in, &s->in_room, 2 * s->in_room, 1) == 0;
}

/* Reads available bytes. Returns their number, 0: there are none, or an error. */
static int pull(struct stream *s, struct td_err *err)
{
    if (!make_room(s))
        return 0;
    ssize_t got = read(s->fd, s->in + s->in_end, READ_BYTES);
    if (got > 0) {
        s->in_end += (size_t)got;
        s->base.stats.bytes_in += (uint64_t)got;
        return (int)got;
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    /* A terminal whose other end is closed says EIO. */
    if (got == 0 || errno == EIO || errno == ECONNRESET || errno == EPIPE || errno == ENXIO)
        return hung_up(s, err);
    return td_fail_errno(err, "cannot read from %s", s->name);
}

/* Waits until the descriptor can be read or (events) written; 0: the time is over. */
static int wait_for(struct stream *s, short events, int64_t until_ns)
{
    int64_t left = until_ns - td_mono_ns();
    struct pollfd p = {s->fd, events, 0};
    if (left < 0)
        left = 0;
    struct timespec t = {left / 1000000000, left % 1000000000};
    return ppoll(&p, 1, &t, NULL) > 0 ? p.revents | POLLNVAL : 0;
}

static ssize_t push(struct stream *s, const uint8_t *from, size_t bytes)
{
    return s->is_socket ? send(s->fd, from, bytes, MSG_NOSIGNAL) : write(s->fd, from, bytes);
}

static int stream_send(struct td_link *l, const void *message, size_t bytes, struct td_err *err)
{
    struct stream *s = (struct stream *)l;
    if (s->gone)
        return hung_up(s, err);
    if (bytes == 0 || bytes > TD_PROBE_MAX_BYTES)
        return td_fail(err, TD_E_LIMIT, "a message of %zu bytes cannot be sent", bytes);
    const size_t all = s->kept + td_frame_encode(message, (uint32_t)bytes, s->out + s->kept);
    s->base.stats.messages_out++;
    s->kept = l->more && all <= KEPT_BYTES ? all : 0;
    if (s->kept)
        return TD_OK;
    int looks = 0; /* counts waits, not time, because this process may not have run meanwhile */
    for (size_t done = 0; done < all;) {
        ssize_t n = push(s, s->out + done, all - done);
        if (n > 0) {
            done += (size_t)n;
            s->base.stats.bytes_out += (uint64_t)n;
            looks = 0;
            continue;
        }
        if (n < 0 && errno != EAGAIN && errno != EINTR) {
            if (errno == EPIPE || errno == ECONNRESET || errno == EIO)
                return hung_up(s, err);
            return td_fail_errno(err, "cannot write to %s", s->name);
        }
        /* The other end may be waiting for room as well, so read what it sends. */
        int ready = wait_for(s, (short)(make_room(s) ? POLLIN | POLLOUT : POLLOUT),
                             td_mono_ns() + SEND_LOOK_MS * INT64_C(1000000));
        if (!ready)
            td_debug(line, "%s has taken nothing for %d ms; %zu of %zu bytes are sent", s->name,
                     (looks + 1) * SEND_LOOK_MS, done, all);
        if (!ready && ++looks == SEND_LOOKS)
            return td_fail(err, TD_E_TIMEOUT, "%s takes no bytes any more", s->name);
        if (ready & (POLLIN | POLLHUP) && pull(s, err) < 0)
            return TD_E_GONE;
    }
    return TD_OK;
}

/* Decodes the next message from the bytes that were read. Returns its length; 0: there is no whole one. */
static uint32_t decode(struct stream *s)
{
    uint32_t used = 0, bytes = 0;
    while (s->in_at < s->in_end && bytes == 0) {
        bytes = td_frame_decode(&s->decoder, s->in + s->in_at, (uint32_t)(s->in_end - s->in_at), &used);
        s->in_at += used;
    }
    if (s->base.stats.bad_frames != s->decoder.stats.bad_frames)
        td_debug(line, "%s: %llu damaged frames, %llu bytes in no frame so far", s->name,
                 (unsigned long long)s->decoder.stats.bad_frames,
                 (unsigned long long)s->decoder.stats.bad_bytes);
    s->base.stats.bad_frames = s->decoder.stats.bad_frames;
    s->base.stats.bad_bytes = s->decoder.stats.bad_bytes;
    return bytes;
}

static int stream_receive(struct td_link *l, void *to, size_t room, int timeout_ms, struct td_err *err)
{
    struct stream *s = (struct stream *)l;
    const int64_t until = td_mono_ns() + (int64_t)timeout_ms * 1000000;
    for (;;) {
        uint32_t bytes = decode(s);
        if (bytes && bytes <= room) {
            memcpy(to, s->message, bytes);
            s->base.stats.messages_in++;
            return (int)bytes;
        }
        if (bytes) {
            s->decoder.stats.bad_frames++;
            continue;
        }
        if (s->gone)
            return hung_up(s, err);
        int rc = pull(s, err);
        if (rc < 0)
            return rc;
        if (rc == 0 && (timeout_ms == 0 || !wait_for(s, POLLIN, until)))
            return 0;
    }
}

static int stream_fd(struct td_link *l)
{
    return ((struct stream *)l)->fd;
}

static void stream_close(struct td_link *l)
{
    struct stream *s = (struct stream *)l;
    close(s->fd);
    free(s->in);
    free(s);
}

static int is_local_socket(int fd)
{
    int domain = 0;
    socklen_t bytes = sizeof domain;
    return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &bytes) == 0 && domain == AF_UNIX;
}

static const struct td_link_ops stream_ops = {
    .name = "stream", .send = stream_send, .receive = stream_receive, .fd = stream_fd, .close = stream_close};

struct td_link *td_stream_link(int fd, const char *name, uint32_t bytes_per_s, struct td_err *err)
{
    struct stat st;
    struct stream *s = calloc(1, sizeof *s);
    if (s)
        s->in = malloc(s->in_room = 2 * READ_BYTES);
    if (!s || !s->in || fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) < 0) {
        td_fail(err, TD_E_NOMEM, "cannot set up %s", name);
        close(fd);
        if (s)
            free(s->in);
        free(s);
        return NULL;
    }
    s->base.ops = &stream_ops;
    s->base.lossy = 1; /* a socket may lead to a UART */
    s->base.is_local = is_local_socket(fd);
    s->base.bytes_per_s = bytes_per_s;
    s->fd = fd;
    s->is_socket = fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
    snprintf(s->name, sizeof s->name, "%s", name);
    td_frame_decoder_init(&s->decoder, s->message, sizeof s->message);
    return &s->base;
}
