/* Looks through a transport at which zones a core has open. */
#ifndef TD_HOST_AGENT_BOARD_BOARD_OPEN_H
#define TD_HOST_AGENT_BOARD_BOARD_OPEN_H
#include "host/agent/board/lane_events.h"
#include "host/device/board/board.h"

/* Notes in lane->watch what the core's words say now, for the image whose packets came last; nothing where
 * that is not known, has no such words, or has them where no kernel of this core may write. `core` is its
 * number in the tile. */
int td_board_open_look(struct td_transport *t, const struct td_board *board, struct td_tile_at tile,
                       uint32_t core, struct td_lane_events *lane, struct td_err *err);
#endif
