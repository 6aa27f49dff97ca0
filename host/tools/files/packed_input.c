#include "host/tools/files/packed_input.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define GZIP_WINDOW (16 + MAX_WBITS) /* zlib: with the header of gzip */

struct packed_input {
    ZSTD_DCtx *zstd; /* NULL: gzip */
    z_stream gzip;
    const char *name; /* for errors */
    bool is_whole;    /* the end of the packed data was seen last */
    size_t filled;
    uint8_t out[PACKED_PIECE];
};

static bool is_zstd(const uint8_t *bytes, size_t count)
{
    uint32_t magic = 0;
    if (count >= sizeof magic)
        memcpy(&magic, bytes, sizeof magic);
    return le32toh(magic) == ZSTD_MAGICNUMBER;
}

static bool is_gzip(const uint8_t *bytes, size_t count)
{
    return count >= 3 && bytes[0] == 0x1f && bytes[1] == 0x8b && bytes[2] == Z_DEFLATED;
}

bool packed_begins(const uint8_t *bytes, size_t count)
{
    return is_zstd(bytes, count) || is_gzip(bytes, count);
}

struct packed_input *packed_create(const char *name, const uint8_t *bytes, size_t count)
{
    struct packed_input *packed = calloc(1, sizeof *packed);
    if (!packed)
        return NULL;
    packed->name = name;
    if (is_zstd(bytes, count))
        packed->zstd = ZSTD_createDCtx();
    if (is_zstd(bytes, count) ? packed->zstd != NULL : inflateInit2(&packed->gzip, GZIP_WINDOW) == Z_OK)
        return packed;
    free(packed);
    return NULL;
}

void packed_destroy(struct packed_input *packed)
{
    if (!packed)
        return;
    if (packed->zstd)
        ZSTD_freeDCtx(packed->zstd);
    else
        inflateEnd(&packed->gzip);
    free(packed);
}

static int fail_damaged(const struct packed_input *packed, const char *why, struct td_err *err)
{
    return td_fail(err, TD_E_FORMAT, "%s: its packed data are damaged: %s", packed->name, why);
}

/* Unpacks until the piece is full or the input is used. */
static int unpack_zstd(struct packed_input *packed, const uint8_t *bytes, size_t count, size_t *used,
                       struct td_err *err)
{
    ZSTD_inBuffer in = {bytes, count, *used};
    ZSTD_outBuffer out = {packed->out, PACKED_PIECE, packed->filled};
    const size_t state = ZSTD_decompressStream(packed->zstd, &out, &in);
    if (ZSTD_isError(state))
        return fail_damaged(packed, ZSTD_getErrorName(state), err);
    packed->is_whole = state == 0;
    packed->filled = out.pos;
    *used = in.pos;
    return 0;
}

/* Several packed files, one after the other, are one; zeros may follow. */
static int begin_next_gzip(struct packed_input *packed, const uint8_t *bytes, size_t count, size_t *used,
                           struct td_err *err)
{
    while (*used < count && !bytes[*used])
        ++*used;
    if (*used == count)
        return 0;
    packed->is_whole = false;
    if (bytes[*used] != 0x1f)
        return fail_damaged(packed, "other bytes follow them", err);
    return inflateReset(&packed->gzip) == Z_OK ? 0 : fail_damaged(packed, "they cannot be read", err);
}

static int unpack_gzip(struct packed_input *packed, const uint8_t *bytes, size_t count, size_t *used,
                       struct td_err *err)
{
    z_stream *gzip = &packed->gzip;
    if (packed->is_whole && begin_next_gzip(packed, bytes, count, used, err) != 0)
        return err->code;
    if (*used == count && packed->is_whole)
        return 0;
    gzip->next_in = (z_const Bytef *)(bytes + *used);
    gzip->avail_in = (uInt)(count - *used);
    gzip->next_out = packed->out + packed->filled;
    gzip->avail_out = (uInt)(PACKED_PIECE - packed->filled);
    const int state = inflate(gzip, Z_NO_FLUSH);
    if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR)
        return state == Z_MEM_ERROR
                   ? td_fail_no_memory(err, "to unpack a file")
                   : fail_damaged(packed, gzip->msg ? gzip->msg : "they cannot be read", err);
    packed->is_whole = state == Z_STREAM_END;
    packed->filled = PACKED_PIECE - gzip->avail_out;
    *used = count - gzip->avail_in;
    return 0;
}

static int pass_piece(struct packed_input *packed, packed_take *take, void *self, struct td_err *err)
{
    const size_t count = packed->filled;
    packed->filled = 0;
    return count ? take(self, packed->out, count, err) : 0;
}

int packed_feed(struct packed_input *packed, const uint8_t *bytes, size_t count, packed_take *take,
                void *self, struct td_err *err)
{
    size_t used = 0;
    bool full;
    do {
        int bad = (packed->zstd ? unpack_zstd : unpack_gzip)(packed, bytes, count, &used, err);
        full = packed->filled == PACKED_PIECE;
        if (!bad && full)
            bad = pass_piece(packed, take, self, err);
        if (bad)
            return bad;
    } while (full || used < count);
    return 0;
}

int packed_end_stream(struct packed_input *packed, bool *cut, packed_take *take, void *self,
                      struct td_err *err)
{
    *cut = !packed->is_whole;
    return pass_piece(packed, take, self, err);
}
