/* Reads through a transport which zones a core has open. */
#ifndef TD_HOST_AGENT_BOARD_BOARD_OPEN_H
#define TD_HOST_AGENT_BOARD_BOARD_OPEN_H
#include "host/agent/board/lane_events.h"
#include "host/device/board/board.h"

/* Reads the core's words of .td_open, for the image whose packets came last, and notes them in lane->watch.
 * Does nothing if the image is not known, has no such words, or has them outside of the core's own memory.
 * `core` is its number in the tile. 0 or a negative enum td_e. */
int td_board_open_look(struct td_transport *t, const struct td_board *board, struct td_tile_at tile,
                       uint32_t core, struct td_lane_events *lane, struct td_err *err);
#endif
