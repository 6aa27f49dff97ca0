/* The bytes of a trace file, or of a pipe, in their order. */
#ifndef TD_HOST_FILE_IN_SOURCE_H
#define TD_HOST_FILE_IN_SOURCE_H
#include "host/base/err.h"

#include <stddef.h>
#include <stdint.h>

struct td_in_source {
    int fd;                            /* -1: closed */
    int waits;                         /* a pipe, a terminal ...: what it has may come late */
    int error;                         /* errno of a read that failed, 0: none did */
    int given_up;                      /* gave_up() said so */
    uint64_t taken_bytes, total_bytes; /* total 0: not known */
    uint8_t *buffer;
    size_t at, bytes;
};

/* Opens a file or standard input ("-"). On an error nothing is left to close. */
int td_in_source_open(struct td_in_source *source, const char *path, struct td_err *err);
void td_in_source_close(struct td_in_source *source);
/* As many as there are, up to `bytes`; fewer at the end, after an error, or when gave_up(), which is asked a
 * few times a second while a pipe has nothing, returns 1. */
size_t td_in_source_read(struct td_in_source *source, void *to, size_t bytes, int (*gave_up)(void *self),
                         void *self);
#endif
