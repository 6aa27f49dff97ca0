/* Board server: shares a board that only one process can open (USB, a serial line) with programs on this
 * machine. Programs access the agent as a probe at a Unix socket (TENDRIL_BOARD=unix:PATH).
 *
 * Programs cannot drain lanes: the agent does. An object belongs to one thread, which calls the pump
 * often. */
#ifndef TD_HOST_AGENT_BOARD_BOARD_SERVER_H
#define TD_HOST_AGENT_BOARD_BOARD_SERVER_H
#include "host/transport/transport.h"

#include <poll.h>
#include <stdbool.h>

struct td_board_server;
/* Listens at `path`. description, grid: of a board that does not describe itself, else NULL. The caller keeps
 * both and the transport. NULL: *err says why. */
struct td_board_server *td_board_server_create(struct td_transport *t, const char *path,
                                               const char *description, const char *grid, struct td_err *err);
/* Undoes what programs have not undone themselves (a frozen board), and closes their connections. NULL is
 * allowed. */
void td_board_server_destroy(struct td_board_server *server);
/* Fills the descriptors for poll(), at most `room`. Returns how many. */
size_t td_board_server_fds(const struct td_board_server *server, struct pollfd *fds, size_t room);
/* Answers the requests that have arrived, and those that arrive right after an answer, for a bounded time.
 * Returns how many. Errors go to the program, in its answer. */
size_t td_board_server_pump(struct td_board_server *server);
/* A program sent a request a moment ago and will probably send another, so the caller should wait for it. */
bool td_board_server_is_busy(const struct td_board_server *server);
#endif
