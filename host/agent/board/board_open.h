/* Reads through a transport which zones a core has open. */
#pragma once
#include "host/agent/board/board_tap.h"
#include "host/agent/board/lane_events.h"
#include "host/device/board/board.h"

/* Reads the core's words of .td_open, for the image whose packets came last, and notes them in lane->watch.
 * Does nothing if the image is not known, has no such words, or has them outside of the core's own memory.
 * `tap` may be NULL. 0 or a negative enum td_e. */
int td_board_open_look(struct td_transport *t, const struct td_board *board, const struct td_lane_at *at,
                       struct td_lane_events *lane, const struct td_board_tap *tap, struct td_err *err);
/* Notes words that were read between two times of the clock. Does nothing if the image has not this number of
 * words. 0 or TD_E_NOMEM. */
int td_board_open_note(struct td_lane_events *lane, const uint32_t *words, size_t count, uint64_t before,
                       uint64_t after, struct td_err *err);
