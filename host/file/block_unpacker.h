/* Unpacks blocks: what each stream of a container must remember between them. */
#ifndef TD_HOST_FILE_BLOCK_UNPACKER_H
#define TD_HOST_FILE_BLOCK_UNPACKER_H
#include "host/file/format.h"

#include <stddef.h>
#include <stdint.h>

struct td_block_unpacker; /* one stream; its blocks must come in order, from one thread at a time */

/* `history`: bytes in front of a block, in the order of the stream, that stand where they were unpacked to
 * when the next one is asked for; blocks may stand in a ring. Where a Zstd window fits into them, no copies
 * of what was unpacked are made. NULL: no memory. */
struct td_block_unpacker *td_block_unpacker_create(enum td_file_compression compression, size_t history);
void td_block_unpacker_destroy(struct td_block_unpacker *stream);
/* Unpacks a block of TD_FILE_BLOCK_BYTES at most into `to`. The block before it in this stream must still
 * stand where it was unpacked to. Returns its size, 0: it does not decompress, or TD_E_NOMEM. */
int td_block_unpack(struct td_block_unpacker *stream, const uint8_t *packed, size_t packed_bytes,
                    uint8_t *to);
#endif
