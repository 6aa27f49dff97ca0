/* Board server: shares a board that only one process can have open (USB, a serial line) with programs on this
 * machine. To them the agent is a probe behind a Unix socket (TENDRIL_BOARD=unix:PATH).
 *
 * Everything but draining: lanes are the agent's own. One thread: pump it often. */
#ifndef TD_HOST_AGENT_BOARD_BOARD_SERVER_H
#define TD_HOST_AGENT_BOARD_BOARD_SERVER_H
#include "host/transport/transport.h"

#include <poll.h>

struct td_board_server;
/* Listens at `path`. description, grid: of a board that does not tell them, else NULL; both and the transport
 * stay the caller's. */
struct td_board_server *td_board_server_create(struct td_transport *t, const char *path,
                                               const char *description, const char *grid, struct td_err *err);
/* Takes back what programs left on (a frozen board), hangs up. NULL is allowed. */
void td_board_server_destroy(struct td_board_server *server);
/* What is to be waited for: fills at most `room`, returns how many. */
size_t td_board_server_fds(const struct td_board_server *server, struct pollfd *fds, size_t room);
/* Answers what has been asked, and what is asked right after an answer, for a bounded time. Returns the
 * number of requests. What goes wrong is the program's to hear, in its answer. */
size_t td_board_server_pump(struct td_board_server *server);
/* 1: a program asked a moment ago and will ask again, so waits should be for it. */
int td_board_server_is_busy(const struct td_board_server *server);
#endif
