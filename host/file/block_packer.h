/* Packs blocks: the compressors behind the container's streams. */
#ifndef TD_HOST_FILE_BLOCK_PACKER_H
#define TD_HOST_FILE_BLOCK_PACKER_H
#include "host/file/format.h"

#include <stddef.h>
#include <stdint.h>

#define TD_PACKED_ROOM 65824 /* the most that a block becomes */

struct td_block_packer;

/* 1: the blocks of a stream must be packed one after the other, by one td_pack of their own. 0: in any order,
 * by any td_pack. */
int td_block_packer_in_order(enum td_file_packing packing);
struct td_block_packer *td_block_packer_create(enum td_file_packing packing, int level);
void td_block_packer_destroy(struct td_block_packer *pack);
/* Packs `bytes` bytes into TD_PACKED_ROOM; `history` is the whole block before in the same stream, NULL for
 * the first one; both must stay until the next block of the stream is packed. Returns the size; 0: *error
 * says why not. */
size_t td_block_pack(struct td_block_packer *pack, const uint8_t *raw, size_t bytes, const uint8_t *history,
                     uint8_t *packed, const char **error);
#endif
