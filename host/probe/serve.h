/* Runs the probe engine (target/probe) on this machine: it serves a board, at any transport, to a host at any
 * link.
 *
 * `tendril probe` uses it for sockets, serial lines and ptys. Not thread-safe.
 */
#pragma once
#include "host/transport/link.h"
#include "host/transport/transport.h"
#include "target/probe/probe.h"

/* Fills *board, through which the engine accesses the transport. The transport's errors become the engine's
 * answers. Both stay the caller's. */
void td_probe_board_of(struct td_transport *t, struct td_probe_board *board);

struct td_probe_server;
/* Makes an engine for the transport, which stays the caller's. It serves hosts one after the other. name: the
 * answer to HELLO; may be NULL. */
struct td_probe_server *td_probe_server_create(struct td_transport *t, const char *name, struct td_err *err);
/* Serves the host at this link, then disarms the lanes. 0: the host hung up, or *stop became nonzero.
 * Negative: the link failed, or the board was removed. The link stays the caller's. extra_fd (-1: none), for
 * example a listening socket: when it becomes readable, extra(self) is called. If the host has been silent
 * for too long by then, it is dropped instead, and the function returns 0, so that another host can be
 * served. */
int td_probe_server_run(struct td_probe_server *s, struct td_link *link, const volatile int *stop,
                        int extra_fd, void (*extra)(void *self), void *self, struct td_err *err);
void td_probe_server_destroy(struct td_probe_server *s);
