/* Passes the facts of a board that a transport to hardware needs: where its registers are and how its windows
 * are pointed. Other transports need nothing. */
#ifndef TD_HOST_DEVICE_BOARD_ATTACH_H
#define TD_HOST_DEVICE_BOARD_ATTACH_H
#include "host/device/board/board.h"

/* Call it once, before the first access. If the device reports its clock's frequency, it becomes the board's
 * nominal one. */
int td_board_attach(struct td_board *board, struct td_transport *t, struct td_err *err);
#endif
