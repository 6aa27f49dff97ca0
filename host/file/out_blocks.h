/* Blocks on their way into a container: filled by the caller, packed by threads, written by the caller in
 * their order. Few blocks are packed by the caller alone. */
#ifndef TD_HOST_FILE_OUT_BLOCKS_H
#define TD_HOST_FILE_OUT_BLOCKS_H
#include "host/file/format.h"

#include <stddef.h>
#include <stdint.h>

struct td_out_blocks;

struct td_out_packed {
    const uint8_t *data;
    size_t bytes;
    int code;          /* 0: packed; TD_E_NOMEM, TD_E_IO */
    const char *error; /* with a code */
};

/* spill: so many bytes may be written past the end of a buffer. threads 0: as many as processors; 1: the
 * caller alone. NULL: no memory. */
struct td_out_blocks *td_out_blocks_create(enum td_file_packing packing, int level, unsigned streams,
                                           int threads, size_t spill);
/* Ends the threads; blocks on their way are forgotten. */
void td_out_blocks_destroy(struct td_out_blocks *blocks);
/* The buffer to be filled next. It may be used when td_out_blocks_full() is 0. */
uint8_t *td_out_blocks_buffer(struct td_out_blocks *blocks);
/* Hands the buffer over; the one after it is the next to be filled. Most often it stands right behind, so
 * that what was spilt is already in it. */
void td_out_blocks_put(struct td_out_blocks *blocks, size_t bytes);
/* 1: packed blocks have to be taken before another one can be filled. */
int td_out_blocks_full(const struct td_out_blocks *blocks);
/* The next packed block, in the order of put, waiting for it; 0: all were taken. Valid until the next put. */
int td_out_blocks_take(struct td_out_blocks *blocks, struct td_out_packed *packed);
#endif
