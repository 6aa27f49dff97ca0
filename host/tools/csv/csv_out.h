/* A buffer of text with fast formatting of numbers. With a file or a descriptor, csv_out_flush_if_full()
 * writes a large buffer. Without both, the buffer grows. Functions that add text report no error: `failed`
 * keeps the first one, and csv_out_result() returns it. */
#pragma once
#include "host/base/err.h"

#include <stddef.h>
#include <stdint.h>

struct td_out_file;

struct csv_out {
    char *data;
    size_t used, capacity;
    int fd;                   /* -1: none */
    struct td_out_file *file; /* used instead of fd; the caller closes it */
    int failed;               /* errno of the first failure */
};

void csv_out_bytes(struct csv_out *out, const char *bytes, size_t count);
void csv_out_text(struct csv_out *out, const char *text);
void csv_out_i64(struct csv_out *out, int64_t value);
void csv_out_u64(struct csv_out *out, uint64_t value);
void csv_out_f6(struct csv_out *out, double value); /* as "%f" */

void csv_out_flush(struct csv_out *out);
void csv_out_flush_if_full(struct csv_out *out);
void csv_out_free(struct csv_out *out);
/* 0, or an error that names `path`. A reader that closed its pipe early is no error. */
int csv_out_result(const struct csv_out *out, const char *path, struct td_err *err);
