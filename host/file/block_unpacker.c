#include "host/file/block_unpacker.h"
#include "host/base/err.h"

/* For decoding without Zstd's own buffer; the shared library exports these functions too. */
#define ZSTD_STATIC_LINKING_ONLY
#include <lz4.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

struct td_block_unpacker {
    ZSTD_DCtx *zstd; /* NULL: LZ4 */
    size_t room;     /* history in memory; see td_block_unpacker_create() */
    enum { AT_FRAME, IN_PLACE, BUFFERED } state;
    const uint8_t *history; /* of LZ4 */
    int history_bytes;
};

struct td_block_unpacker *td_block_unpacker_create(enum td_file_compression compression, size_t history)
{
    struct td_block_unpacker *stream = calloc(1, sizeof *stream);
    if (stream)
        stream->room = history;
    if (stream && compression == TD_FILE_ZSTD && !(stream->zstd = ZSTD_createDCtx())) {
        free(stream);
        return NULL;
    }
    return stream;
}

void td_block_unpacker_destroy(struct td_block_unpacker *stream)
{
    if (stream)
        ZSTD_freeDCtx(stream->zstd);
    free(stream);
}

static int unpack_buffered(struct td_block_unpacker *stream, const uint8_t *packed, size_t packed_bytes,
                           uint8_t *to, size_t room)
{
    ZSTD_inBuffer from = {packed, packed_bytes, 0};
    ZSTD_outBuffer out = {to, room, 0};
    for (;;) {
        size_t in_before = from.pos, out_before = out.pos;
        size_t rc = ZSTD_decompressStream(stream->zstd, &out, &from);
        if (ZSTD_isError(rc))
            return ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation ? TD_E_NOMEM : 0;
        if (from.pos == in_before && out.pos == out_before)
            break; /* no progress */
    }
    return from.pos == from.size ? (int)out.pos : 0;
}

/* Decides how to unpack the frame that begins here: in place if its window fits into the history. */
static void begin_frame(struct td_block_unpacker *stream, const uint8_t *packed, size_t packed_bytes)
{
    ZSTD_frameHeader header;
    int in_place = ZSTD_getFrameHeader(&header, packed, packed_bytes) == 0 &&
                   header.windowSize <= stream->room && !ZSTD_isError(ZSTD_decompressBegin(stream->zstd));
    stream->state = in_place ? IN_PLACE : BUFFERED;
    if (!in_place)
        ZSTD_DCtx_reset(stream->zstd, ZSTD_reset_session_only);
}

/* Another processor read this memory last. Fetching all its cache lines for writing at once is faster than
 * one after the other. */
static void prefetch_block(const uint8_t *to)
{
    for (size_t i = 0; i < TD_FILE_BLOCK_BYTES; i += 64)
        __builtin_prefetch(to + i, 1);
}

/* Writers flush at the end of each block, so all of a block can be unpacked. */
static int unpack_zstd(struct td_block_unpacker *stream, const uint8_t *packed, size_t packed_bytes,
                       uint8_t *to)
{
    size_t done = 0;
    if (stream->state == IN_PLACE)
        prefetch_block(to);
    while (packed_bytes) {
        if (stream->state == AT_FRAME)
            begin_frame(stream, packed, packed_bytes);
        if (stream->state == BUFFERED) {
            int rest = unpack_buffered(stream, packed, packed_bytes, to + done, TD_FILE_BLOCK_BYTES - done);
            return rest > 0 ? (int)done + rest : rest;
        }
        size_t bytes = ZSTD_nextSrcSizeToDecompress(stream->zstd);
        if (bytes > packed_bytes)
            return 0;
        size_t n =
            ZSTD_decompressContinue(stream->zstd, to + done, TD_FILE_BLOCK_BYTES - done, packed, bytes);
        if (ZSTD_isError(n))
            return 0;
        packed += bytes;
        packed_bytes -= bytes;
        done += n;
        if (!ZSTD_nextSrcSizeToDecompress(stream->zstd))
            stream->state = AT_FRAME;
    }
    return (int)done;
}

int td_block_unpack(struct td_block_unpacker *stream, const uint8_t *packed, size_t packed_bytes, uint8_t *to)
{
    if (stream->zstd)
        return unpack_zstd(stream, packed, packed_bytes, to);
    int n = LZ4_decompress_safe_usingDict((const char *)packed, (char *)to, (int)packed_bytes,
                                          TD_FILE_BLOCK_BYTES, (const char *)stream->history,
                                          stream->history_bytes);
    stream->history = to;
    stream->history_bytes = n > 0 ? n : 0;
    return n > 0 ? n : 0;
}
