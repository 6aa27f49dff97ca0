/* What a chip says about itself (td_chip_identity) goes into its description: which tiles are harvested, and by
 * which coordinates they are called. */
#pragma once
#include "host/device/board/board.h"

/* td_board_load_for() does so. *text is the board's whole description, as of td_board_load(), and is
 * replaced. Does nothing if the transport has no identity. TD_E_USAGE: the chip is another one than the
 * description's. */
int td_board_adapt(struct td_board *board, char **text, const char *grid, struct td_transport *t,
                   struct td_err *err);
