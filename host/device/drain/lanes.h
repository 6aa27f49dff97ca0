/* Control words and rings of a tile: initialises them, once, from the loader or the agent.
 *
 * Not for two processes at the same time on one tile. */
#pragma once
#include "host/device/board/board.h"
#include "proto/device/lane.h"

#include <stdbool.h>

/* Initialises the tile unless it is initialised: rings empty, policy off, no agent. *fresh (may be NULL) is 1
 * if it was not. TD_E_VERSION: it belongs to a host of another version or to another layout. */
int td_lanes_prepare(struct td_transport *t, const struct td_board *board, struct td_tile_at at, int *fresh,
                     struct td_err *err);
/* Are these a tile's first control words as td_lanes_prepare() writes them? */
bool td_lanes_are_set_up(const struct td_board *board, const uint32_t *words);
/* Writes these again. */
int td_lanes_restore(struct td_transport *t, const struct td_board *board, struct td_tile_at at,
                     struct td_err *err);
/* Writes one word of a lane's control words. */
int td_lane_set_word(struct td_transport *t, const struct td_board *board, struct td_tile_at at,
                     uint32_t core, uint32_t offset, uint32_t value, struct td_err *err);
/* Slots of a ring, from the slot with that number on, are empty. ring_slots: a power of two. */
int td_lane_clear_slots(struct td_transport *t, struct td_tile_at at, uint64_t ring_address,
                        uint32_t ring_slots, uint32_t first, uint32_t slots, struct td_err *err);
