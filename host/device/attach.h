/* Tells a transport what it has to know of the board that is behind it: where registers are, how windows are
 * pointed. For transports to hardware; others need nothing. */
#ifndef TD_HOST_DEVICE_ATTACH_H
#define TD_HOST_DEVICE_ATTACH_H
#include "host/device/board.h"

/* Before the first access, once. Where the device tells its clock's frequency, the board gets it as its
 * nominal one. */
int td_board_attach(struct td_board *board, struct td_transport *t, struct td_err *err);
#endif
