/* The probe engine (target/probe) on this machine: over any transport, towards a host at any link.
 *
 * `tendril probe` serves sockets, serial lines and ptys with it; a USB gadget is the same with its own link.
 * One thread.
 */
#ifndef TD_HOST_PROBE_SERVE_H
#define TD_HOST_PROBE_SERVE_H
#include "host/transport/link.h"
#include "host/transport/transport.h"
#include "target/probe/probe.h"

/* A transport as the engine's board. Memory errors and the transport's own come back as the engine's answers.
 * Both stay the caller's. */
void td_probe_board_of(struct td_transport *t, struct td_probe_board *board);

struct td_probe_server;
/* Makes the engine over a transport, for hosts one after the other; name (may be NULL): the answer to HELLO.
 * The caller keeps the transport. */
struct td_probe_server *td_probe_server_create(struct td_transport *t, const char *name, struct td_err *err);
/* Serves the host at this link until the host hangs up (0), *stop becomes nonzero (0), or the link fails
 * (negative). The caller keeps the link; the lanes are disarmed at the end. extra_fd (-1: none): extra(self)
 * is called when it becomes readable, for example a listening socket. If the host was silent for too long by
 * then, it is dropped (0), so that another one can be served. */
int td_probe_server_run(struct td_probe_server *s, struct td_link *link, const volatile int *stop,
                        int extra_fd, void (*extra)(void *self), void *self, struct td_err *err);
const struct td_probe *td_probe_server_engine(const struct td_probe_server *s);
void td_probe_server_destroy(struct td_probe_server *s);
#endif
