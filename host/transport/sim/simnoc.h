/* The simnoc transport: a simulated board that offers windows (proto/sim/window.h), reached through them as a
 * card is, by the same code (noc.h). Controls and liveness come from the board's file. */
#pragma once
#include "host/transport/transport.h"

struct td_transport *td_simnoc_open(const char *path, int wait_ms, struct td_err *err);
