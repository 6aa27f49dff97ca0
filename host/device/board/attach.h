/* Passes the facts of a board that a transport to hardware needs: where its registers are and how its windows
 * are pointed. Other transports need nothing. */
#pragma once
#include "host/device/board/board.h"

/* Call it once, before the first access. If the device reports its clock's frequency, it becomes the board's
 * nominal one. */
int td_board_attach(struct td_board *board, struct td_transport *t, struct td_err *err);
/* Windows of one kind, as a description has them. */
struct td_window_kind td_board_window_kind(const struct td_window_desc *described);
/* The description of a board that does not report its own. name: NULL: the one that names the PCI ids of the
 * device; else it must not name others. `chips` becomes the number that the device has, and what it lacks is left
 * out. *text (may be NULL): the description as it is used, for free(). */
int td_board_load_for(struct td_board *board, struct td_transport *t, const char *name, const char *grid,
                      char **text, struct td_err *err);
