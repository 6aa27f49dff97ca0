/* The unpacked blocks of a container, in order. The caller's thread unpacks the first ones, so that small
 * files need no threads; then threads unpack a bounded number of blocks in advance. */
#pragma once
#include "host/base/err.h"
#include "host/base/progress.h"
#include "host/file/in_source.h"

#include <stddef.h>
#include <stdint.h>

struct td_in_blocks;

struct td_in_block {
    const uint8_t *data;
    size_t bytes;       /* 1 .. TD_FILE_BLOCK_BYTES */
    int code;           /* 0, or why there is no block: an enum td_e */
    const char *damage; /* with TD_E_FORMAT */
    int error;          /* errno, with TD_E_IO */
};

/* Reads the container's header. `source` is moved into *blocks, and closed on an error. `name` is for
 * messages and must live as long as the blocks. threads 0: as many as processors; 1: the caller alone. */
int td_in_blocks_open(struct td_in_source *source, const char *name, int threads,
                      const struct td_progress *progress, struct td_in_blocks **blocks, struct td_err *err);
void td_in_blocks_close(struct td_in_blocks *blocks);
/* The next block, valid until the next call. Not to be called after a failure. */
struct td_in_block td_in_blocks_next(struct td_in_blocks *blocks);
