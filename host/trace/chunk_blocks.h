/* Memory for chunks that are given back, about in the order in which they were taken: blocks, each with chunks of one
 * size. A block whose chunks were all given back serves any size again. So the memory does not grow when other
 * sizes are wanted than before. Not thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#define TD_CHUNK_BLOCK_BYTES ((size_t)64 * 1024)
#define TD_CHUNK_MOST_BYTES  (TD_CHUNK_BLOCK_BYTES / 8)
#define TD_CHUNK_CLASSES     64u

struct td_chunk_blocks {
    struct chunk_block **all; /* by address */
    size_t count, capacity;
    struct chunk_block *current[TD_CHUNK_CLASSES]; /* new chunks of this class are taken from here */
    struct chunk_block *partial[TD_CHUNK_CLASSES]; /* others with room, the latest that got room first */
    struct chunk_block *idle;                      /* without chunks */
};

void td_chunk_blocks_free(struct td_chunk_blocks *blocks);
/* All chunks of a class have the same size: at most TD_CHUNK_MOST_BYTES, a multiple of 8. NULL: another block is
 * needed. */
void *td_chunk_take(struct td_chunk_blocks *blocks, unsigned class, size_t bytes);
/* Adds memory of TD_CHUNK_BLOCK_BYTES, which the caller keeps until the end. 0 or TD_E_NOMEM. */
int td_chunk_blocks_add(struct td_chunk_blocks *blocks, void *memory);
/* False: the chunk is from elsewhere. */
bool td_chunk_give_back(struct td_chunk_blocks *blocks, void *chunk);
