/* Starts the client: at the program's start, or with the first marker (TRACY_DELAYED_INIT). Thread-safe. */
#ifndef TD_HOST_CLIENT_SESSION_START_H
#define TD_HOST_CLIENT_SESSION_START_H
#include <stddef.h>
#include <stdint.h>

void td_client_start(void); /* once a process; later calls return at once */
#endif
