/* Packs the blocks of a container: the caller fills blocks, threads pack them, and the caller takes them in
 * order. If there are few blocks, the caller's thread packs them. */
#pragma once
#include "host/file/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_out_blocks;

struct td_out_packed {
    const uint8_t *data;
    size_t bytes;
    int code;          /* 0, TD_E_NOMEM or TD_E_IO */
    const char *error; /* if `code` is not 0 */
};

/* spill: how many bytes the caller may write beyond the end of a buffer. threads 0: as many as processors; 1:
 * the caller alone. NULL: no memory. */
struct td_out_blocks *td_out_blocks_create(enum td_file_packing packing, int level, unsigned streams,
                                           int threads, size_t spill);
/* Ends the threads; blocks that were not taken are lost. */
void td_out_blocks_destroy(struct td_out_blocks *blocks);
/* The buffer to fill next. It may be filled while td_out_blocks_is_full() is false. */
uint8_t *td_out_blocks_buffer(struct td_out_blocks *blocks);
/* Passes the filled buffer to the threads. The caller moves bytes that it has spilt to the next buffer; with
 * one stream that usually follows directly in memory. */
void td_out_blocks_put(struct td_out_blocks *blocks, size_t bytes);
/* Packed blocks must be taken before another one can be filled. */
bool td_out_blocks_is_full(const struct td_out_blocks *blocks);
/* Waits for the oldest block not taken yet. false: all were taken. *packed is valid until the next put. */
bool td_out_blocks_take(struct td_out_blocks *blocks, struct td_out_packed *packed);
