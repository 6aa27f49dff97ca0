/* The shm transport: a simulated board's BAR-like file (proto/sim/bar.h) mapped into this process. */
#pragma once
#include "host/transport/transport.h"

/* Opens the file at `path`, waiting up to wait_ms for a simulator to finish it. Error: NULL. */
struct td_transport *td_shm_open(const char *path, int wait_ms, struct td_err *err);
/* For a file that the user did not name, in a folder where all users make files. Opens it only if it
 * belongs to this user (else TD_E_USAGE), follows no link and does not wait. */
struct td_transport *td_shm_open_own(const char *path, struct td_err *err);
