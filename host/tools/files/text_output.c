#include "host/tools/files/text_output.h"
#include "host/base/stream.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <zlib.h>

#define GZIP_WINDOW (15 + 16)
#define PIECE       (64 << 10)

struct text_packer {
    z_stream stream;
    unsigned char piece[PIECE];
};

static int pack(const struct text_output *o, const void *data, size_t bytes, int flush)
{
    z_stream *s = &o->packer->stream;
    s->next_in = (unsigned char *)(uintptr_t)data;
    s->avail_in = (uInt)bytes;
    do {
        s->next_out = o->packer->piece;
        s->avail_out = PIECE;
        deflate(s, flush);
        const int rc = td_out_file_write(o->file, o->packer->piece, PIECE - s->avail_out, NULL, NULL, o->err);
        if (rc < 0)
            return rc;
    } while (s->avail_out == 0);
    return 0;
}

static ssize_t write_output(void *self, const char *data, size_t bytes)
{
    const struct text_output *o = self;
    const int rc = o->packer ? pack(o, data, bytes, Z_NO_FLUSH)
                             : td_out_file_write(o->file, data, bytes, NULL, NULL, o->err);
    return rc < 0 ? -1 : (ssize_t)bytes;
}

static bool begin_packing(struct text_output *o)
{
    o->packer = calloc(1, sizeof *o->packer);
    if (o->packer && deflateInit2(&o->packer->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW,
                                  MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK)
        return true;
    free(o->packer);
    o->packer = NULL;
    return false;
}

bool text_output_is_gzip(const char *path)
{
    const size_t bytes = strlen(path);
    return bytes > 3 && !strcmp(path + bytes - 3, ".gz");
}

int text_output_open(struct text_output *output, const char *path, unsigned how, bool gzip,
                     struct td_err *err)
{
    *output = (struct text_output){.to = stdout, .err = err};
    if (!path || !strcmp(path, "-"))
        return 0;
    output->to = NULL;
    if (!(output->file = td_out_file_open(path, how | TD_OUT_TEXT, err)))
        return err->code;
    if (gzip && !begin_packing(output))
        return td_fail_no_memory(err, NULL);
    output->to = fopencookie(output, "w", (cookie_io_functions_t){.write = write_output});
    return output->to ? 0 : td_fail_no_memory(err, NULL);
}

int text_output_close(struct text_output *output, int rc, struct td_err *err)
{
    const bool written = !output->to || (output->to == stdout ? fflush(stdout) == 0 && !ferror(stdout)
                                                              : td_stream_close(output->to));
    if (!written && rc == 0)
        rc = err->code ? err->code : td_fail_errno(err, "cannot write the output");
    if (rc == 0 && output->packer)
        rc = pack(output, NULL, 0, Z_FINISH);
    if (rc == 0 && output->file)
        rc = td_out_file_commit(output->file, err);
    if (output->packer)
        deflateEnd(&output->packer->stream);
    free(output->packer);
    td_out_file_close(output->file);
    return rc;
}
