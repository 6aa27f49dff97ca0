/* The shm transport: a simulated board's BAR-like file (proto/sim/bar.h) mapped into this process. */
#ifndef TD_HOST_TRANSPORT_SHM_H
#define TD_HOST_TRANSPORT_SHM_H
#include "host/transport/transport.h"
#include "proto/sim/bar.h"

/* Opens the file at `path`, waiting up to wait_ms for a simulator to finish it. Error: NULL. */
struct td_transport *td_shm_open(const char *path, int wait_ms, struct td_err *err);
struct td_bar_header *td_shm_header(struct td_transport *t);
/* The board's description, as text in the syntax of boards/NAME/NAME.board. */
const char *td_shm_description(struct td_transport *t);
/* Adds to the freeze counter (+1, -1); +1 returns once the board stands still. */
int td_shm_freeze(struct td_transport *t, int delta, struct td_err *err);
/* Asks the simulator to end; returns at once (alive() tells when it has). */
void td_shm_stop(struct td_transport *t);
#endif
