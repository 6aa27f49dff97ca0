/* A recorder that only takes: reads what a client sends as fast as it comes, asks nothing, counts zones. */
#pragma once
#include <stdint.h>

/* Connects to the port and takes everything until `zones` have ended. Returns the bytes that came over the
 * wire, -1 when the client went away, said what cannot be, or nothing more for some seconds. *fd: the
 * connection, for close(). */
int64_t sink_take(int port, uint64_t zones, int *fd);
