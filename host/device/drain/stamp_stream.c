#include "host/device/drain/stamp_stream.h"
#include "host/base/err.h"
#include "proto/device/stamp.h"

#include <string.h>

#define LOOKS        8 /* cores may write faster than this reads */
#define CHUNK_PIECES 64u
#define ALL_STICKY   (TD_STAMP_FULL(0) | TD_STAMP_FULL(1) | TD_STAMP_OVERFLOW(0) | TD_STAMP_OVERFLOW(1))

static uint32_t pieces(const struct td_stamp_stream *s)
{
    return s->board->stamp_buffer_bytes / TD_STAMP_UNIT_BYTES;
}

static uint64_t piece_address(const struct td_stamp_stream *s, uint32_t buffer, uint32_t piece)
{
    return s->board->stamp_base + (uint64_t)buffer * s->board->stamp_buffer_bytes +
           (uint64_t)piece * TD_STAMP_UNIT_BYTES;
}

static int write_registers(const struct td_stamp_stream *s, uint32_t first, const uint32_t *values,
                           size_t count, struct td_err *err)
{
    return s->t->ops->write(s->t, s->at, s->board->stamp_register + first, values, count * sizeof *values,
                            err);
}

/* A piece without an event has 0 in its first word. */
static int clear_buffer(const struct td_stamp_stream *s, uint32_t buffer, struct td_err *err)
{
    static const uint32_t zeros[CHUNK_PIECES * TD_STAMP_UNIT_WORDS];
    int rc = 0;
    for (uint32_t at = 0, n; rc == 0 && at < pieces(s); at += n) {
        n = pieces(s) - at < CHUNK_PIECES ? pieces(s) - at : CHUNK_PIECES;
        rc = s->t->ops->write(s->t, s->at, piece_address(s, buffer, at), zeros,
                              (size_t)n * TD_STAMP_UNIT_BYTES, err);
    }
    return rc;
}

int td_stamp_stream_arm(struct td_stamp_stream *s, struct td_err *err)
{
    const uint32_t first = (uint32_t)(piece_address(s, 0, 0) / TD_STAMP_UNIT_BYTES), count = pieces(s);
    const uint32_t setup[] = {0, ALL_STICKY, first, first + count - 1, first + count, first + 2 * count - 1};
    const uint32_t both = 3;
    int rc = write_registers(s, TD_STAMP_CONTROL, setup, sizeof setup / sizeof *setup, err);
    for (uint32_t i = 0; rc == 0 && i < 2; i++)
        rc = clear_buffer(s, i, err);
    s->taken[0] = s->taken[1] = 0;
    s->armed = rc == 0;
    return rc ? rc : write_registers(s, TD_STAMP_CONTROL, &both, 1, err);
}

void td_stamp_stream_disarm(struct td_stamp_stream *s)
{
    const uint32_t none = 0;
    if (s->armed)
        write_registers(s, TD_STAMP_CONTROL, &none, 1, NULL);
    s->armed = false;
}

/* Events that follow those taken from a buffer, at most a chunk, to `words`: their number. */
static int copy_events(struct td_stamp_stream *s, uint32_t buffer, uint32_t *words, struct td_err *err)
{
    const uint32_t left = pieces(s) - s->taken[buffer], most = left < CHUNK_PIECES ? left : CHUNK_PIECES;
    const uint64_t address = piece_address(s, buffer, s->taken[buffer]);
    uint32_t count = 0;
    int rc = most ? s->t->ops->read(s->t, s->at, address, words, (size_t)most * TD_STAMP_UNIT_BYTES, err) : 0;
    while (rc == 0 && count < most && words[count * TD_STAMP_UNIT_WORDS])
        count++;
    /* Parts of one read may be of different times: what was there in the first one is whole in the second. */
    if (rc == 0 && count)
        rc = s->t->ops->read(s->t, s->at, address, words, (size_t)count * TD_STAMP_UNIT_BYTES, err);
    return rc ? rc : (int)count;
}

static int read_buffer(struct td_stamp_stream *s, uint32_t buffer, td_stamp_on_event *event, void *self,
                       size_t *found, struct td_err *err)
{
    uint32_t words[CHUNK_PIECES * TD_STAMP_UNIT_WORDS];
    int count = 0, rc = 0;
    do {
        count = copy_events(s, buffer, words, err);
        for (int i = 0; rc == 0 && i < count; i++) {
            const uint32_t *w = words + TD_STAMP_UNIT_WORDS * i;
            rc = event(self, &(struct td_stamp_event){(uint64_t)w[2] << 32 | w[1], w[0]});
        }
        s->taken[buffer] += count > 0 ? (uint32_t)count : 0;
        *found += count > 0 ? (size_t)count : 0;
    } while (rc == 0 && count > 0);
    return count < 0 ? count : rc;
}

/* Gives the buffers that were read to their ends back. Events are lost only while both are full, and then until
 * this has been done. */
static int make_room(struct td_stamp_stream *s, bool *lost, struct td_err *err)
{
    uint32_t full = 0, status = 0;
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < 2; i++)
        if (s->taken[i] == pieces(s)) {
            full |= TD_STAMP_FULL(i);
            rc = clear_buffer(s, i, err);
        }
    if (rc || !full)
        return rc;
    for (uint32_t i = 0; i < 2; i++)
        s->taken[i] = full & TD_STAMP_FULL(i) ? 0 : s->taken[i];
    rc = write_registers(s, TD_STAMP_STATUS, &full, 1, err);
    rc = rc ? rc : s->t->ops->read(s->t, s->at, s->board->stamp_register + TD_STAMP_STATUS, &status, 4, err);
    status &= TD_STAMP_OVERFLOW(0) | TD_STAMP_OVERFLOW(1);
    *lost = rc == 0 && status;
    return rc || !status ? rc : write_registers(s, TD_STAMP_STATUS, &status, 1, err);
}

/* Buffer 0 is used again as soon as it has room, even while buffer 1 has words. So a look that finds something is
 * followed by another one: what is older than that may be in the other buffer. */
int td_stamp_stream_read(struct td_stamp_stream *s, td_stamp_on_event *event, void *self, bool *lost,
                         struct td_err *err)
{
    size_t found = 1;
    int rc = 0;
    *lost = false;
    for (int looks = 0; rc == 0 && found && looks < LOOKS && !*lost; looks++) {
        found = 0;
        for (uint32_t i = 0; rc == 0 && i < 2; i++)
            rc = read_buffer(s, i, event, self, &found, err);
        rc = rc ? rc : make_room(s, lost, err);
    }
    return rc;
}
