/* Board server: shares a board that only one process can open (USB, a serial line, a simulator's library) with
 * programs on this machine. Programs access that process as a probe at a Unix socket (TENDRIL_BOARD=unix:PATH).
 *
 * Who may drain lanes: where an agent serves its board, the agent alone; else a program that asks for it. An
 * object belongs to one thread, which calls the pump often. */
#pragma once
#include "host/transport/transport.h"

#include <poll.h>
#include <stdbool.h>

struct td_board_server;
struct td_board_server_options {
    const char *path;               /* to listen at; NULL: connections are only adopted */
    const char *name;               /* the answer to HELLO */
    const char *description, *grid; /* of a board that does not describe itself, else NULL */
    bool gathers;                   /* programs may have their lanes gathered */
};
/* The caller keeps the transport and the description. NULL: *err says why. */
struct td_board_server *td_board_server_create(struct td_transport *t,
                                               const struct td_board_server_options *o, struct td_err *err);
/* Serves one more connection, which becomes the server's. */
int td_board_server_adopt(struct td_board_server *server, int fd, struct td_err *err);
/* Undoes what programs have not undone themselves (a frozen board), and closes their connections. NULL is
 * allowed. */
void td_board_server_destroy(struct td_board_server *server);
/* Fills the descriptors for poll(), at most `room`. Returns how many. */
size_t td_board_server_fds(const struct td_board_server *server, struct pollfd *fds, size_t room);
/* Answers the requests that have arrived, and those that arrive right after an answer, for a bounded time.
 * Returns how many. Errors go to the program, in its answer. */
size_t td_board_server_pump(struct td_board_server *server);
/* Requests may have arrived of which poll() does not know any more. */
bool td_board_server_has_left(const struct td_board_server *server);
/* A program sent a request a moment ago and will probably send another, so the caller should wait for it. */
bool td_board_server_is_busy(const struct td_board_server *server);

/* With `gathers`: gives out what lanes hold to programs that wait for it, and ends sessions of silent ones. Call
 * it at least every 20 ms. */
void td_board_server_idle(struct td_board_server *server);
/* Empties lanes without a message; what they held is given out by a later idle(). False: not all of them, as there is no
 * room for more. */
bool td_board_server_keep_slots(struct td_board_server *server);
/* The most slots that a gathered lane holds for sure; *ring_slots: as many would fill it. */
uint32_t td_board_server_fullest(struct td_board_server *server, uint32_t *ring_slots);
/* Some program has its lanes gathered. */
bool td_board_server_is_gathering(const struct td_board_server *server);
/* All of these wait for slots: nothing was left in their lanes at the last idle(). */
bool td_board_server_has_drained(const struct td_board_server *server);
size_t td_board_server_count(const struct td_board_server *server);
