#include "host/file/in.h"
#include "host/file/in_blocks.h"
#include "host/file/in_source.h"

#include <errno.h>

static void set_failed(struct td_in *in, int code)
{
    in->failed = code;
    in->before += in->at;
    in->at = in->bytes = 0;
}

void td_in_damaged(struct td_in *in, const char *what)
{
    if (!in->failed)
        set_failed(in, td_fail(in->err, TD_E_FORMAT, "'%s' is damaged: %s%s%s%s", in->path, what,
                               in->section ? " (in " : "", in->section ? in->section : "",
                               in->section ? ")" : ""));
}

void td_in_no_memory(struct td_in *in)
{
    if (!in->failed)
        set_failed(in, td_fail(in->err, TD_E_NOMEM, "out of memory while reading '%s'", in->path));
}

int td_in_open(struct td_in *in, const char *path, const struct td_in_options *options, struct td_err *err)
{
    static const struct td_in_options defaults;
    struct td_in_source source;
    if (!options)
        options = &defaults;
    *in = (struct td_in){.path = strcmp(path, "-") ? path : "standard input", .err = err};
    int rc = td_in_source_open(&source, path, err);
    if (rc == 0)
        rc = td_in_blocks_open(&source, in->path, options->threads, &options->progress, &in->blocks, err);
    in->failed = rc;
    return rc;
}

void td_in_close(struct td_in *in)
{
    td_in_blocks_close(in->blocks);
    in->blocks = NULL;
    in->at = in->bytes = 0;
}

int td_in_next_block_(struct td_in *in)
{
    if (in->failed)
        return in->failed;
    int last = in->before + in->bytes > 0 && in->bytes != TD_FILE_BLOCK_BYTES;
    in->before += in->bytes;
    in->at = in->bytes = 0;
    if (last) {
        td_in_damaged(in, "it ends too early");
        return in->failed;
    }
    struct td_in_block block = td_in_blocks_next(in->blocks);
    if (block.code == 0) {
        in->block = block.data;
        in->bytes = block.bytes;
        return 0;
    }
    if (block.code == TD_E_FORMAT) {
        td_in_damaged(in, block.damage);
    } else if (block.code == TD_E_NOMEM) {
        td_in_no_memory(in);
    } else if (block.code == TD_E_STOPPED) {
        set_failed(in, td_fail(in->err, TD_E_STOPPED, "stopped while reading '%s'", in->path));
    } else {
        errno = block.error;
        set_failed(in, td_fail_errno(in->err, "cannot read '%s'", in->path));
    }
    return in->failed;
}

uint64_t td_in_slow_(struct td_in *in, unsigned bytes)
{
    uint8_t value[8];
    td_in_bytes(in, value, bytes);
    return td_bytes_get(value, bytes);
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
