/* What Tendril's client offers beyond Tracy's interface. Include tracy/TracyC.h for the markers.
 *
 * Environment: TRACY_PORT fixes the port; TRACY_NO_EXIT=1 lets the program's end wait for a connection;
 * TENDRIL_WAIT_CONNECT_MS lets its start wait that long for one; TENDRIL_EXIT_WAIT_MS (default 10000) bounds
 * how long its end waits for a peer that neither takes nor asks anything; TENDRIL_BIND_ALL=1 listens on every
 * network interface instead of 127.0.0.1 only (there is no access check: anyone who connects gets the trace);
 * TENDRIL_NO_CRASH_HANDLER=1 leaves fatal signals alone.
 */
#ifndef TENDRIL_CLIENT_H
#define TENDRIL_CLIENT_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#ifdef TRACY_ENABLE
/* Waits up to ms for a viewer or recorder. 1: connected. */
int td_client_wait_connected(int ms);
/* The port that the client listens on; 0 before it does or when there is none. */
int td_client_port(void);
/* What viewers show instead of the executable's name. Copied; counts for connections made later. */
void td_client_set_program_name(const char *name);
/* Names the calling thread; threads with a group hint other than 0 are sorted by it. */
void td_client_set_thread_name(const char *name, int32_t group_hint);
#else
#define td_client_wait_connected(ms)                0
#define td_client_port()                            0
#define td_client_set_program_name(name)            ((void)0)
#define td_client_set_thread_name(name, group_hint) ((void)0)
#endif

#ifdef __cplusplus
}
#endif
#endif
