#include "host/file/out.h"
#include "host/file/out_blocks.h"
#include "host/file/out_file.h"

#include <stdlib.h>

#define PENDING_BYTES  (1u << 20)
#define PROGRESS_EVERY 16 /* blocks */
#define PAGE_BYTES     4096

/* Bytes to be written to the file, and facts that td_out_close() needs. */
struct td_out_end {
    struct td_progress progress;
    int classic;
    uint64_t file_bytes, blocks;
    size_t last_bytes; /* of payload in the last block */
    size_t pending_bytes;
    uint8_t pending[PENDING_BYTES];
};

static void keep_failure(struct td_out *out, int code)
{
    if (!out->failed)
        out->failed = code;
}

static int gave_up(void *self)
{
    const struct td_out *out = self;
    const struct td_progress *progress = &out->end->progress;
    return progress->step && progress->step(progress->self, td_out_offset(out), out->expected);
}

static void write_pending(struct td_out *out)
{
    struct td_out_end *end = out->end;
    if (!out->failed)
        keep_failure(out,
                     td_out_file_write(out->file, end->pending, end->pending_bytes, gave_up, out, &out->err));
    end->pending_bytes = 0;
}

static void append_bytes(struct td_out *out, const void *data, size_t bytes)
{
    struct td_out_end *end = out->end;
    if (end->pending_bytes + bytes > PENDING_BYTES)
        write_pending(out);
    memcpy(end->pending + end->pending_bytes, data, bytes);
    end->pending_bytes += bytes;
    end->file_bytes += bytes;
}

static void append_size(struct td_out *out, size_t bytes)
{
    uint8_t size[4];
    td_bytes_put(size, bytes, sizeof size);
    append_bytes(out, size, sizeof size);
}

/* Appends the oldest packed block to the file; false: there is none. */
static bool take_block(struct td_out *out)
{
    struct td_out_packed packed;
    if (!td_out_blocks_take(out->blocks, &packed))
        return false;
    if (packed.code)
        keep_failure(out, td_fail(&out->err, packed.code, "cannot pack '%s': %s", td_out_file_name(out->file),
                                  packed.error));
    if (out->failed)
        return true;
    append_size(out, packed.bytes);
    append_bytes(out, packed.data, packed.bytes);
    return true;
}

static void put_block(struct td_out *out, size_t bytes)
{
    struct td_out_end *end = out->end;
    td_out_blocks_put(out->blocks, bytes);
    out->before += bytes;
    out->at = 0;
    end->last_bytes = bytes;
    if (++end->blocks % PROGRESS_EVERY == 0 && gave_up(out))
        keep_failure(
            out, td_fail(&out->err, TD_E_STOPPED, "stopped while writing '%s'", td_out_file_name(out->file)));
}

/* Moves bytes beyond the block to the next one. After an error the same block is filled again. */
void td_out_flush_(struct td_out *out)
{
    const uint8_t *rest = out->block + TD_FILE_BLOCK_BYTES;
    size_t over = out->at - TD_FILE_BLOCK_BYTES;
    if (!out->failed) {
        put_block(out, TD_FILE_BLOCK_BYTES);
        while (td_out_blocks_is_full(out->blocks))
            take_block(out);
        out->block = td_out_blocks_buffer(out->blocks);
        if (out->block != rest)
            memcpy(out->block, rest, over);
    }
    out->at = out->failed ? 0 : over;
}

void td_out_bytes(struct td_out *out, const void *data, size_t bytes)
{
    const uint8_t *from = data;
    while (bytes) {
        size_t n = TD_FILE_BLOCK_BYTES - out->at;
        if (n > bytes)
            n = bytes;
        memcpy(out->block + out->at, from, n);
        from += n;
        bytes -= n;
        td_out_commit(out, n);
    }
}

static int check_options(const struct td_out_options *o, const char *path, struct td_err *err)
{
    if (o->packing < TD_PACK_DEFAULT || o->packing > TD_PACK_ZSTD)
        return td_fail(err, TD_E_USAGE, "cannot write '%s': no such packing", path);
    if (o->level < 0 || o->level > 22)
        return td_fail(err, TD_E_USAGE, "cannot write '%s': Zstd has levels 1 to 22, not %d", path, o->level);
    if (o->streams < 0 || o->streams > 255)
        return td_fail(err, TD_E_USAGE, "cannot write '%s': a file has 1 to 255 streams, not %d", path,
                       o->streams);
    return 0;
}

static void put_header(struct td_out *out, enum td_file_packing packing, int parallel, unsigned streams)
{
    uint8_t form[2] = {packing == TD_PACK_ZSTD ? TD_FILE_ZSTD : TD_FILE_LZ4, (uint8_t)streams};
    if (parallel) {
        append_bytes(out, TD_FILE_MAGIC_PARALLEL, 4);
        append_bytes(out, form, sizeof form);
    } else {
        append_bytes(out, packing == TD_PACK_ZSTD ? TD_FILE_MAGIC_ZSTD : TD_FILE_MAGIC_LZ4, 4);
    }
}

static void free_out(struct td_out *out)
{
    td_out_blocks_destroy(out->blocks);
    td_out_file_close(out->own_file);
    free(out->end);
    *out = (struct td_out){0};
}

int td_out_open(struct td_out *out, const char *path, const struct td_out_options *options,
                struct td_err *err)
{
    static const struct td_out_options defaults;
    const struct td_out_options *o = options ? options : &defaults;
    struct td_err own = {0};
    *out = (struct td_out){0};
    enum td_file_packing packing = o->packing == TD_PACK_DEFAULT ? TD_PACK_ZSTD : o->packing;
    unsigned streams = !o->parallel ? 1 : o->streams ? (unsigned)o->streams : 4;
    int rc = check_options(o, path, &own);
    if (rc == 0 && !o->file && !(out->own_file = td_out_file_open(path, TD_OUT_REPLACE, &own)))
        rc = own.code;
    out->file = o->file ? o->file : out->own_file;
    if (rc == 0) {
        out->end = calloc(1, sizeof *out->end);
        out->blocks =
            td_out_blocks_create(packing, o->level ? o->level : 3, streams, o->threads, TD_OUT_RESERVE_BYTES);
        if (!out->end || !out->blocks)
            rc = td_fail_no_memory(&own, "for writing the trace");
    }
    if (rc < 0) {
        free_out(out);
        return td_fail(err, rc, "%s", own.text);
    }
    out->end->progress = o->progress;
    out->end->classic = !o->parallel;
    out->block = td_out_blocks_buffer(out->blocks);
    put_header(out, packing, o->parallel, streams);
    return 0;
}

/* Tracy up to 0.10 maps the file and reads 4 bytes after a block that is full or the only one. If these would
 * be outside the last page, an empty block is appended. */
static void put_end(struct td_out *out)
{
    const struct td_out_end *end = out->end;
    int looks = end->blocks == 1 || end->last_bytes == TD_FILE_BLOCK_BYTES;
    if (end->classic && looks && (end->file_bytes + 3) % PAGE_BYTES < 4)
        append_size(out, 0);
}

int td_out_close(struct td_out *out, int abandon, struct td_err *err)
{
    if (!abandon && !out->failed) {
        if (out->at)
            put_block(out, out->at);
        while (!out->failed && take_block(out))
            ;
        put_end(out);
        write_pending(out);
        if (!out->failed)
            keep_failure(out, td_out_file_commit(out->file, &out->err));
    }
    int rc = out->failed;
    if (rc < 0)
        td_fail(err, rc, "%s", out->err.text);
    free_out(out);
    return rc;
}
