/* The door of an agent: listens for recorders, serves one at a time, refuses others, and answers questions
 * about this machine's clock. A thread of its own does that.
 *
 * The functions belong to one thread. */
#pragma once
#include "host/base/err.h"

struct td_agent_door;

/* where: [HOST:]PORT, without HOST on this machine only; port 0: any. *port: which. interrupts: how often the
 * user pressed Ctrl-C. NULL: *err says why. */
struct td_agent_door *td_agent_door_open(const char *where, int *port, const volatile int *interrupts,
                                         struct td_err *err);
/* Ends the session and stops to listen. NULL is allowed. */
void td_agent_door_close(struct td_agent_door *door);
/* Waits for a recorder that has compared the clocks. Returns its connection, a blocking socket that belongs to the door; TD_E_STOPPED: the
 * user pressed Ctrl-C. `peer` gets the recorder's address. */
int td_agent_door_accept(struct td_agent_door *door, char *peer, int peer_bytes, struct td_err *err);
/* Becomes 1 when the recorder of the session asks for the end, or the user presses Ctrl-C; 2 when the
 * connection is closed, or the user presses it again. Then no call waits for the connection any longer. */
const volatile int *td_agent_door_wanted_end(const struct td_agent_door *door);
/* Ends the session. Waits a bounded time until the recorder has read what was sent before and has closed the
 * connection: until then it compares the clocks. */
void td_agent_door_hang_up(struct td_agent_door *door);
