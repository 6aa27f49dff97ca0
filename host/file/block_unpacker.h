/* Unpacks the blocks of one stream of a container. */
#pragma once
#include "host/file/format.h"

#include <stddef.h>
#include <stdint.h>

struct td_block_unpacker; /* one stream; its blocks must come in order, from one thread at a time */

/* `history`: how many of the stream's unpacked bytes before a block are still unchanged in memory, where they
 * were unpacked to, when the block is unpacked. Blocks may be in a ring. If a Zstd window fits into them,
 * Zstd makes no copy of unpacked data. NULL: no memory. */
struct td_block_unpacker *td_block_unpacker_create(enum td_file_compression compression, size_t history);
void td_block_unpacker_destroy(struct td_block_unpacker *stream);
/* Unpacks a block of at most TD_FILE_BLOCK_BYTES into `to`. The block before it in this stream must still be
 * where it was unpacked to. Returns its size; 0: the block is damaged; or TD_E_NOMEM. */
int td_block_unpack(struct td_block_unpacker *stream, const uint8_t *packed, size_t packed_bytes,
                    uint8_t *to);
