/* The umd transport: chips of the vendor's simulator that a program holds, and serves at Unix sockets
 * (proto/sim/umd.h): a program of tt-metal with tt-umd 0.9.9 or later, or one with libtendril-ttsim.so. Other
 * processes may use the sockets at the same time. */
#pragma once
#include "host/transport/transport.h"

/* A socket, which is chip 0, or a folder with sockets tt-umd-sim-CHIP.sock. */
struct td_transport *td_umd_open(const char *where, int wait_ms, struct td_err *err);
