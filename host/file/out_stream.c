#include "host/file/out_stream.h"

static ssize_t write_stream(void *self, const char *data, size_t bytes)
{
    const struct td_out_stream *stream = self;
    return td_out_file_write(stream->file, data, bytes, NULL, NULL, stream->err) == 0 ? (ssize_t)bytes : 0;
}

int td_out_stream_open(struct td_out_stream *stream, const char *path, unsigned how, struct td_err *err)
{
    *stream = (struct td_out_stream){.err = err, .file = td_out_file_open(path, how, err)};
    if (!stream->file)
        return err ? err->code : TD_E_IO;
    stream->to = fopencookie(stream, "w", (cookie_io_functions_t){.write = write_stream});
    if (stream->to)
        return 0;
    td_out_file_close(stream->file);
    return td_fail_no_memory(err, NULL);
}

int td_out_stream_close(struct td_out_stream *stream, int rc)
{
    int failed = fflush(stream->to) != 0 || ferror(stream->to);
    fclose(stream->to);
    if (rc == 0 && failed)
        rc = td_fail(stream->err, TD_E_IO, "cannot write %s", td_out_file_name(stream->file));
    rc = rc ? rc : td_out_file_commit(stream->file, stream->err);
    td_out_file_close(stream->file);
    return rc;
}
