#include "host/file/in.h"

#include <errno.h>
#include <lz4.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <zstd.h>

/* Stock writers make at most 65824 bytes of a block. */
#define PACKED_LIMIT (80 * 1024)

/* One stream. LZ4 looks back into the stream's previous block, so it decodes into two buffers in turn. */
struct td_in_lane {
    ZSTD_DCtx *zstd;
    uint8_t *decoded[2];
    size_t decoded_bytes[2];
    int which;
};

void td_in_damaged(struct td_in *in, const char *what)
{
    if (in->failed)
        return;
    in->failed = td_fail(in->err, TD_E_FORMAT, "'%s' is damaged: %s%s%s%s", in->path, what,
                         in->section ? " (in " : "", in->section ? in->section : "", in->section ? ")" : "");
    in->at = in->bytes = 0;
}

void td_in_no_memory(struct td_in *in)
{
    if (!in->failed)
        in->failed = td_fail(in->err, TD_E_NOMEM, "out of memory while reading '%s'", in->path);
    in->at = in->bytes = 0;
}

static int open_container(struct td_in *in)
{
    uint8_t magic[4], parallel[2] = {TD_FILE_LZ4, 1};
    int known = fread(magic, 1, 4, in->file) == 4;
    if (known && !memcmp(magic, TD_FILE_MAGIC_ZSTD, 4))
        parallel[0] = TD_FILE_ZSTD;
    else if (known && !memcmp(magic, TD_FILE_MAGIC_PARALLEL, 4))
        known = fread(parallel, 1, 2, in->file) == 2 && parallel[0] <= TD_FILE_ZSTD && parallel[1] > 0;
    else
        known = known && !memcmp(magic, TD_FILE_MAGIC_LZ4, 4);
    if (!known && ferror(in->file))
        return td_fail_errno(in->err, "cannot read '%s'", in->path);
    if (!known)
        return td_fail(in->err, TD_E_FORMAT, "'%s' is not a trace file", in->path);
    in->compression = parallel[0];
    in->streams = parallel[1];
    in->lanes = calloc((size_t)in->streams, sizeof *in->lanes);
    in->packed = malloc(PACKED_LIMIT);
    if (!in->lanes || !in->packed)
        return td_fail(in->err, TD_E_NOMEM, "out of memory while reading '%s'", in->path);
    return 0;
}

int td_in_open(struct td_in *in, const char *path, struct td_err *err)
{
    struct stat st;
    *in = (struct td_in){.path = path, .err = err};
    in->file = fopen(path, "rbe");
    if (!in->file || fstat(fileno(in->file), &st) < 0) {
        int code = errno == ENOENT ? TD_E_NOTFOUND : TD_E_IO;
        td_fail_errno(err, "cannot open '%s'", path);
        td_in_close(in);
        return code;
    }
    int rc = S_ISDIR(st.st_mode) ? td_fail(err, TD_E_FORMAT, "'%s' is a folder, not a trace file", path)
                                 : open_container(in);
    if (rc < 0)
        td_in_close(in);
    return rc;
}

void td_in_close(struct td_in *in)
{
    for (int i = 0; in->lanes && i < in->streams; i++) {
        ZSTD_freeDCtx(in->lanes[i].zstd);
        free(in->lanes[i].decoded[0]);
        free(in->lanes[i].decoded[1]);
    }
    free(in->lanes);
    free(in->packed);
    if (in->file)
        fclose(in->file);
    in->lanes = NULL;
    in->packed = NULL;
    in->file = NULL;
}

/* Decodes into the lane's current buffer; the number of bytes, or 0: it does not decode. */
static size_t decode(struct td_in *in, struct td_in_lane *lane, size_t packed_bytes)
{
    uint8_t *to = lane->decoded[lane->which];
    if (in->compression == TD_FILE_LZ4) {
        const char *history = (const char *)lane->decoded[1 - lane->which];
        int n = LZ4_decompress_safe_usingDict((const char *)in->packed, (char *)to, (int)packed_bytes,
                                              TD_FILE_BLOCK_BYTES, history,
                                              (int)lane->decoded_bytes[1 - lane->which]);
        return n > 0 ? (size_t)n : 0;
    }
    ZSTD_inBuffer from = {in->packed, packed_bytes, 0};
    ZSTD_outBuffer out = {to, TD_FILE_BLOCK_BYTES, 0};
    for (;;) {
        size_t in_before = from.pos, out_before = out.pos;
        size_t rc = ZSTD_decompressStream(lane->zstd, &out, &from);
        if (ZSTD_isError(rc))
            return 0;
        if (from.pos == in_before && out.pos == out_before)
            break; /* nothing moves any more */
    }
    return from.pos == from.size ? out.pos : 0;
}

static int prepare_lane(struct td_in *in, struct td_in_lane *lane)
{
    int buffers = in->compression == TD_FILE_LZ4 ? 2 : 1;
    for (int i = 0; i < buffers; i++) {
        if (!lane->decoded[i] && !(lane->decoded[i] = malloc(TD_FILE_BLOCK_BYTES)))
            return -1;
    }
    if (in->compression == TD_FILE_ZSTD && !lane->zstd && !(lane->zstd = ZSTD_createDCtx()))
        return -1;
    return 0;
}

/* Reads `bytes` of the file; tells a cut file from one that cannot be read. */
static int take(struct td_in *in, void *to, size_t bytes)
{
    if (fread(to, 1, bytes, in->file) == bytes)
        return 0;
    if (ferror(in->file) && !in->failed)
        in->failed = td_fail_errno(in->err, "cannot read '%s'", in->path);
    else
        td_in_damaged(in, "it ends too early");
    return -1;
}

int td_in_next_block_(struct td_in *in)
{
    if (in->failed)
        return -1;
    in->at = in->bytes = 0;
    uint8_t size[4];
    if (in->last) {
        td_in_damaged(in, "it ends too early");
        return -1;
    }
    if (take(in, size, sizeof size) < 0)
        return -1;
    uint32_t packed_bytes =
        size[0] | (uint32_t)size[1] << 8 | (uint32_t)size[2] << 16 | (uint32_t)size[3] << 24;
    if (packed_bytes == 0 || packed_bytes > PACKED_LIMIT) {
        td_in_damaged(in, packed_bytes ? "a block has an impossible size" : "it ends too early");
        return -1;
    }
    struct td_in_lane *lane = &in->lanes[in->lane];
    if (prepare_lane(in, lane) < 0) {
        td_in_no_memory(in);
        return -1;
    }
    if (take(in, in->packed, packed_bytes) < 0)
        return -1;
    size_t bytes = decode(in, lane, packed_bytes);
    if (!bytes) {
        td_in_damaged(in, "a block does not decompress");
        return -1;
    }
    in->block = lane->decoded[lane->which];
    in->bytes = bytes;
    in->last = bytes != TD_FILE_BLOCK_BYTES;
    lane->decoded_bytes[lane->which] = bytes;
    if (in->compression == TD_FILE_LZ4)
        lane->which = 1 - lane->which;
    in->lane = (in->lane + 1) % in->streams;
    return 0;
}

uint64_t td_in_slow_(struct td_in *in, unsigned bytes)
{
    uint8_t value[8];
    td_in_bytes(in, value, bytes);
    uint64_t result = 0;
    for (unsigned i = 0; i < bytes; i++)
        result |= (uint64_t)value[i] << 8 * i;
    return result;
}

void td_in_bytes(struct td_in *in, void *to, size_t bytes)
{
    uint8_t *at = to;
    while (bytes) {
        if (in->at == in->bytes && td_in_next_block_(in) < 0) {
            memset(at, 0, bytes);
            return;
        }
        size_t n = in->bytes - in->at < bytes ? in->bytes - in->at : bytes;
        memcpy(at, in->block + in->at, n);
        in->at += n;
        at += n;
        bytes -= n;
    }
}

void td_in_skip(struct td_in *in, uint64_t bytes)
{
    while (bytes) {
        if (in->at == in->bytes && td_in_next_block_(in) < 0)
            return;
        size_t left = in->bytes - in->at, n = left < bytes ? left : (size_t)bytes;
        in->at += n;
        bytes -= n;
    }
}

void td_in_skip_items(struct td_in *in, uint64_t count, uint64_t bytes)
{
    if (count > UINT64_MAX / bytes)
        td_in_damaged(in, "an impossible count");
    else
        td_in_skip(in, count * bytes);
}
