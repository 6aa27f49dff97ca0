/* A stdio stream into a new file (out_file.h), for writers of text. The stream fails if a write of the file fails;
 * then *err says why. */
#pragma once
#include "host/file/out_file.h"

#include <stdio.h>

struct td_out_stream {
    struct td_out_file *file;
    struct td_err *err; /* may be NULL */
    FILE *to;
};

/* 0, or TD_E_IO, TD_E_EXISTS or TD_E_NOMEM. After 0, *stream must stay in place until it is ended. */
int td_out_stream_open(struct td_out_stream *stream, const char *path, unsigned how, struct td_err *err);
/* Writes what is buffered, commits the file if `rc` is 0 and nothing failed, else removes it, and frees the
 * stream. Returns rc if it is not 0. */
int td_out_stream_close(struct td_out_stream *stream, int rc);
