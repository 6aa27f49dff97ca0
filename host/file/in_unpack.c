#include "host/file/in_unpack.h"
#include "host/base/err.h"

#include <lz4.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

struct td_unpack {
    ZSTD_DCtx *zstd; /* NULL: LZ4 */
    const uint8_t *history;
    int history_bytes;
};

struct td_unpack *td_unpack_create(enum td_file_compression compression)
{
    struct td_unpack *stream = calloc(1, sizeof *stream);
    if (stream && compression == TD_FILE_ZSTD && !(stream->zstd = ZSTD_createDCtx())) {
        free(stream);
        return NULL;
    }
    return stream;
}

void td_unpack_destroy(struct td_unpack *stream)
{
    if (stream)
        ZSTD_freeDCtx(stream->zstd);
    free(stream);
}

static int unpack_zstd(struct td_unpack *stream, const uint8_t *packed, size_t packed_bytes, uint8_t *to)
{
    ZSTD_inBuffer from = {packed, packed_bytes, 0};
    ZSTD_outBuffer out = {to, TD_FILE_BLOCK_BYTES, 0};
    for (;;) {
        size_t in_before = from.pos, out_before = out.pos;
        size_t rc = ZSTD_decompressStream(stream->zstd, &out, &from);
        if (ZSTD_isError(rc))
            return ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation ? TD_E_NOMEM : 0;
        if (from.pos == in_before && out.pos == out_before)
            break; /* nothing moves any more */
    }
    return from.pos == from.size ? (int)out.pos : 0;
}

int td_unpack_block(struct td_unpack *stream, const uint8_t *packed, size_t packed_bytes, uint8_t *to)
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
