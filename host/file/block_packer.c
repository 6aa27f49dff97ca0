#define ZSTD_STATIC_LINKING_ONLY /* for packing without copies, see IN_PLACE */
#define ZSTD_DISABLE_DEPRECATE_WARNINGS
#include "host/file/block_packer.h"

#include <lz4.h>
#include <lz4hc.h>
#include <stdlib.h>
#include <zstd.h>

/* The default level's tables and window are made for one stream. A file has several, which are packed in turn:
 * with these, what all streams need stays in the processor's cache, which takes a third of the time where data
 * varies. Files grow by less than one part in a hundred, and many become smaller. */
#define PLAIN_LEVEL     3
#define WINDOW_LOG2     19
#define LONG_TABLE_LOG2 13
#define TABLE_LOG2      12

_Static_assert(1u << WINDOW_LOG2 <= TD_PACK_HISTORY * TD_FILE_BLOCK_BYTES,
               "the window is within the history");

/* Zstd's usual functions copy all bytes into a ring of their own, most of whose blocks are in two parts with
 * the window, which takes a seventh more time. The functions without the ring give the same bytes. Zstd has
 * announced that a later release will not have them. */
#if ZSTD_VERSION_NUMBER >= 10400 && ZSTD_VERSION_NUMBER < 10600
#define IN_PLACE 1
#else
#define IN_PLACE 0
#endif

struct td_block_packer {
    enum td_file_packing packing;
    bool in_place;
    int level;
    ZSTD_CCtx *zstd;
    LZ4_stream_t *fast;
    LZ4_streamHC_t *high;
};

bool td_block_packer_is_ordered(enum td_file_packing packing)
{
    /* LZ4 HC finds the same matches in a history block that it packed and in one that was only loaded. Fast
     * LZ4 finds fewer in a loaded one, and Zstd's state depends on what it sent to the decoder. */
    return packing != TD_PACK_LZ4_HC && packing != TD_PACK_LZ4_EXTREME;
}

#if IN_PLACE
/* Begins a stream that is packed in place. False: it cannot be. */
static bool begin_in_place(ZSTD_CCtx *zstd, int level)
{
    ZSTD_parameters parameters = ZSTD_getParams(level, ZSTD_CONTENTSIZE_UNKNOWN, 0);
    parameters.cParams.windowLog = WINDOW_LOG2;
    parameters.cParams.hashLog = LONG_TABLE_LOG2;
    parameters.cParams.chainLog = TABLE_LOG2;
    parameters.fParams.contentSizeFlag = 0;
    return level == PLAIN_LEVEL &&
           !ZSTD_isError(ZSTD_compressBegin_advanced(zstd, NULL, 0, parameters, ZSTD_CONTENTSIZE_UNKNOWN));
}

static size_t pack_in_place(ZSTD_CCtx *zstd, const uint8_t *raw, size_t bytes, uint8_t *packed)
{
    return ZSTD_compressContinue(zstd, packed, TD_PACKED_ROOM, raw, bytes);
}
#else
static bool begin_in_place(ZSTD_CCtx *zstd, int level)
{
    return false;
}

static size_t pack_in_place(ZSTD_CCtx *zstd, const uint8_t *raw, size_t bytes, uint8_t *packed)
{
    return 0;
}
#endif

static ZSTD_CCtx *create_zstd(int level, bool *in_place)
{
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    if (!zstd)
        return NULL;
    *in_place = begin_in_place(zstd, level);
    if (*in_place)
        return zstd;
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_contentSizeFlag, 0);
    if (level == PLAIN_LEVEL) {
        ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, WINDOW_LOG2);
        ZSTD_CCtx_setParameter(zstd, ZSTD_c_hashLog, LONG_TABLE_LOG2);
        ZSTD_CCtx_setParameter(zstd, ZSTD_c_chainLog, TABLE_LOG2);
    }
    return zstd;
}

struct td_block_packer *td_block_packer_create(enum td_file_packing packing, int level)
{
    struct td_block_packer *pack = calloc(1, sizeof *pack);
    if (!pack)
        return NULL;
    pack->packing = packing;
    pack->level = packing == TD_PACK_LZ4_HC ? LZ4HC_CLEVEL_DEFAULT : LZ4HC_CLEVEL_MAX;
    if (packing == TD_PACK_LZ4) {
        pack->fast = LZ4_createStream();
    } else if (!td_block_packer_is_ordered(packing)) {
        pack->high = LZ4_createStreamHC();
    } else {
        pack->zstd = create_zstd(level, &pack->in_place);
    }
    if (pack->fast || pack->high || pack->zstd)
        return pack;
    free(pack);
    return NULL;
}

void td_block_packer_destroy(struct td_block_packer *pack)
{
    if (!pack)
        return;
    ZSTD_freeCCtx(pack->zstd);
    if (pack->fast)
        LZ4_freeStream(pack->fast);
    if (pack->high)
        LZ4_freeStreamHC(pack->high);
    free(pack);
}

static size_t pack_zstd(struct td_block_packer *pack, const uint8_t *raw, size_t bytes, uint8_t *packed,
                        const char **error)
{
    ZSTD_inBuffer in = {raw, bytes, 0};
    ZSTD_outBuffer out = {packed, TD_PACKED_ROOM, 0};
    size_t left = 0;
    if (pack->in_place)
        left = out.pos = pack_in_place(pack->zstd, raw, bytes, packed);
    else
        left = ZSTD_compressStream2(pack->zstd, &out, &in, ZSTD_e_flush);
    if (ZSTD_isError(left))
        *error = ZSTD_getErrorName(left);
    else if (left && !pack->in_place)
        *error = "a packed block is too long";
    return *error ? 0 : out.pos;
}

size_t td_block_pack(struct td_block_packer *pack, const uint8_t *raw, size_t bytes, const uint8_t *history,
                     uint8_t *packed, const char **error)
{
    int n;
    *error = NULL;
    if (pack->zstd)
        return pack_zstd(pack, raw, bytes, packed, error);
    if (pack->fast) {
        n = LZ4_compress_fast_continue(pack->fast, (const char *)raw, (char *)packed, (int)bytes,
                                       TD_PACKED_ROOM, 1);
    } else {
        LZ4_resetStreamHC_fast(pack->high, pack->level);
        if (history)
            LZ4_loadDictHC(pack->high, (const char *)history, TD_FILE_BLOCK_BYTES);
        n = LZ4_compress_HC_continue(pack->high, (const char *)raw, (char *)packed, (int)bytes,
                                     TD_PACKED_ROOM);
    }
    if (n <= 0)
        *error = "LZ4 failed";
    return n > 0 ? (size_t)n : 0;
}
