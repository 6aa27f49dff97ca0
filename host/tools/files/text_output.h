/* A stream into a file that appears when it is complete, or to standard output. */
#pragma once
#include "host/file/out_file.h"

#include <stdio.h>

struct text_packer;
struct text_output {
    FILE *to;
    struct td_out_file *file; /* NULL: standard output */
    struct text_packer *packer;
    struct td_err *err;
};

/* Whether a file of this name is packed. */
bool text_output_is_gzip(const char *path);
/* `path` NULL or "-": standard output; `how` is a sum of td_out_how. With `gzip`, what is written is packed, but not to
 * standard output. 0 or a negative enum td_e; text_output_close() is called in each case. *output must not move, and
 * gets errors of writing in *err. */
int text_output_open(struct text_output *output, const char *path, unsigned how, bool gzip,
                     struct td_err *err);
/* Closes the stream; with `rc` 0, gives the file its name. Returns `rc`, or what was wrong with the writing. */
int text_output_close(struct text_output *output, int rc, struct td_err *err);
