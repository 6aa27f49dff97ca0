/* Packs blocks: the compressors of the container's streams. A packer belongs to one thread at a time. */
#pragma once
#include "host/file/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TD_PACKED_ROOM  65824 /* the largest size of a packed block */
#define TD_PACK_HISTORY 8u    /* blocks of a stream that packing its next one may refer to */

struct td_block_packer;

/* true: each stream needs its own packer, which packs its blocks in order. false: any packer may pack any
 * block. */
bool td_block_packer_is_ordered(enum td_file_packing packing);
struct td_block_packer *td_block_packer_create(enum td_file_packing packing, int level);
void td_block_packer_destroy(struct td_block_packer *pack);
/* Packs `bytes` bytes of `raw` to `packed`, which has TD_PACKED_ROOM bytes. `history` is the full block
 * before it in the same stream; NULL: there is none. `raw` and the TD_PACK_HISTORY blocks before it must
 * stay unchanged until the next block is packed. A block that follows the one before it in memory is packed
 * faster. Returns the packed size; 0: it failed, and *error says why. */
size_t td_block_pack(struct td_block_packer *pack, const uint8_t *raw, size_t bytes, const uint8_t *history,
                     uint8_t *packed, const char **error);
