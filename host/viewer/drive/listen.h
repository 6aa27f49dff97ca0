/* The socket of `tendril view --listen`: several clients send requests, one a line, and get one line for each.
 * A thread reads and writes; the viewer's thread takes the requests one at a time between two frames. Requests
 * of a client are answered in their order; it is not read from while it waits for an answer. */
#pragma once
#include "host/viewer/drive/request.h"

struct td_listen;

/* Listens at a unix socket of mode 0600. One that no process listens at any more is replaced. `wake` is called
 * in the thread when a request is there. NULL: *err says why. */
struct td_listen *td_listen_open(const char *path, void (*wake)(void), struct td_err *err);
/* Sends what is still to be sent, ends the connections and removes the socket. NULL is allowed. */
void td_listen_close(struct td_listen *listen);

/* The requests of its clients; the struct is valid until td_listen_close(). */
const struct td_requests *td_listen_requests(const struct td_listen *listen);
