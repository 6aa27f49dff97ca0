/* A board in this process's memory: a transport whose tiles are arrays, for what a simulator cannot be made
 * to do on command. One chip; L1 is what lies below FAKE_L1_BYTES. */
#pragma once
#include "host/device/board/board.h"

#define FAKE_TILES    4
#define FAKE_L1_BYTES 0x10000
#define FAKE_SLOTS    64

struct fake_board {
    struct td_transport transport;
    struct td_board board;
    uint64_t l1[FAKE_TILES][FAKE_L1_BYTES / 8];
    uint32_t soft_reset[FAKE_TILES];
    int head_before_clear; /* the head gave a slot back to the core that was not cleared */
    int fail_reads;        /* > 0: reads fail with TD_E_GONE */
};

/* 2x2 tiles of two cores. With `mapped`, the transport can map. */
struct fake_board *fake_board_create(int mapped);
void fake_board_destroy(struct fake_board *fake);
uint32_t *fake_words(struct fake_board *fake, uint32_t tile, uint32_t address);
uint32_t *fake_ctrl(struct fake_board *fake, uint32_t tile, uint32_t core);

/* A core's side of one lane. */
struct fake_core {
    struct fake_board *fake;
    uint32_t tile, core, tail;
};
/* A launch begins: the core joins the recording that the agent invites it to, if it has not yet. */
void fake_core_join(struct fake_core *core);
/* The core has left the recording. */
void fake_core_leave(struct fake_core *core);
/* Joins; writes a slot if there is room; 0: none. Publishes the tail now and then, as cores do. */
int fake_core_put(struct fake_core *core, uint32_t w0, uint32_t w1);
void fake_core_publish(struct fake_core *core);
/* The same in overwrite mode: gives up a block of 32 when it comes to one; the test writes what a block
 * begins with. */
void fake_core_overwrite(struct fake_core *core, uint32_t w0, uint32_t w1);
