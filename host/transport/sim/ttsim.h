/* The ttsim transport: a chip of the vendor's functional simulator. A process of its own holds the library
 * (boards/ttsim), and ends with this one. The chip is reached as a card without a driver is: through windows in
 * its BARs, which registers point. */
#ifndef TD_HOST_TRANSPORT_SIM_TTSIM_H
#define TD_HOST_TRANSPORT_SIM_TTSIM_H
#include "host/transport/transport.h"

/* The library's path. */
struct td_transport *td_ttsim_open(const char *library, int wait_ms, struct td_err *err);
#endif
