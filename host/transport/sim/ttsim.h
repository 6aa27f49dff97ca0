/* The ttsim transport: chips of the vendor's functional simulator. A process of its own holds the library
 * (boards/ttsim), reaches the chips as a card without a driver is reached, and serves this one as a probe. It ends
 * with this process. Its error is the library's last line. */
#pragma once
#include "host/transport/transport.h"

/* The library's path. */
struct td_transport *td_ttsim_open(const char *library, int wait_ms, struct td_err *err);
