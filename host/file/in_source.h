/* Reads the bytes of a trace file or of a pipe. */
#pragma once
#include "host/base/err.h"

#include <stddef.h>
#include <stdint.h>

struct td_in_source {
    int fd;                            /* -1: closed */
    int waits;                         /* 1: a pipe, a terminal ..., which may have no data yet */
    int error;                         /* errno of a failed read, or 0 */
    int given_up;                      /* 1: gave_up() returned 1 */
    uint64_t taken_bytes, total_bytes; /* read so far; size of the file, 0: not known */
    uint8_t *buffer;
    size_t at, bytes;
};

/* Opens a file or standard input ("-"). On an error nothing is left to close. */
int td_in_source_open(struct td_in_source *source, const char *path, struct td_err *err);
void td_in_source_close(struct td_in_source *source);
/* Reads `bytes` bytes and returns their number. It is smaller at the end of the file, after an error, and
 * when gave_up() returns 1; gave_up() is called a few times a second while a pipe has no data. */
size_t td_in_source_read(struct td_in_source *source, void *to, size_t bytes, int (*gave_up)(void *self),
                         void *self);
