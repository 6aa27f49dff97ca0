/* What the kernel `moves` is given and what it leaves: in L1, a block for each core. */
#pragma once
#include <stdint.h>

enum {
    MOVES_ROUNDS = 3,
    MOVES_BLOCK = 0x200,  /* bytes of a core's block */
    MOVES_LONG = 20032,   /* bytes of a transfer that takes several packets */
    MOVES_PIECE = 256,    /* of one that takes one */
    MOVES_LINE = 64,      /* of a multicast */
    MOVES_BUFFER = 0xa000 /* of a core: twice MOVES_LONG */
};

struct moves {
    uint32_t x, y, core, cores, tiles, tile; /* x, y: this tile as the host calls it */
    uint32_t next_x, next_y;                 /* the next tile */
    uint32_t bank_x, bank_y, bank_at;
    uint32_t first_x, first_y, last_x, last_y; /* rectangle of all tiles */
    uint32_t buffer;                           /* own buffer in L1 */
    uint32_t from_previous; /* where this core of the tile before writes to, in each tile */
    uint32_t lines;         /* one line a tile and kind, in each tile */
    uint32_t arrived, meet; /* semaphores, in each tile */
    /* out */
    uint32_t place, dram_sum, previous_sum, lines_sum, old_sum, inline_word, done;
    uint32_t clock; /* in: address of the register; out: the next tile's clock was read */
    uint32_t counts[2]
                   [3]; /* by NoC: writes acknowledged, atomics, writes sent, of all cores; the first one's */
};
