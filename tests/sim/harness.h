/* A simulator for one test, and raw kernels on its cores. Every call that fails ends the test. */
#pragma once
#include "host/device/board/board.h"
#include "host/transport/sim/shm.h"
#include "host/transport/card/simbar.h"

#include <sys/types.h>

#define ARGUMENTS 0xC0000u /* where the tests put the kernels' arguments, in every tile */

struct rig {
    pid_t pid;
    char path[64];
    struct td_transport *t;
    struct td_board board;
};

/* Starts tensix_sim with these further arguments (NULL ends them) and opens it. */
void rig_start(struct rig *rig, const char *const *arguments);
void rig_stop(struct rig *rig); /* also after the simulator has been killed */

struct td_tile_at rig_tile(const struct rig *rig, uint32_t x, uint32_t y);
void rig_write(struct rig *rig, struct td_tile_at at, uint64_t address, const void *from, size_t bytes);
void rig_read(struct rig *rig, struct td_tile_at at, uint64_t address, void *to, size_t bytes);
uint32_t rig_word(struct rig *rig, struct td_tile_at at, uint64_t address);
void rig_put(struct rig *rig, struct td_tile_at at, uint64_t address, uint32_t word);
/* Waits, 20 s at most, until the word has this value. */
void rig_await(struct rig *rig, struct td_tile_at at, uint64_t address, uint32_t value);

/* Loads kernels/NAME.bin for a core, which starts it with this argument. */
void rig_load(struct rig *rig, struct td_tile_at at, uint32_t core, const char *name, uint32_t argument);
void rig_hold(struct rig *rig, struct td_tile_at at);                    /* all cores */
void rig_release(struct rig *rig, struct td_tile_at at, uint32_t cores); /* bit mask; others are held */
uint32_t rig_lane_word(struct rig *rig, struct td_tile_at at, uint32_t core, uint32_t offset);
void rig_nap(int ms);
