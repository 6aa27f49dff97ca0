/* Between a host and the process that holds the vendor's simulator (boards/ttsim), when the host has started it:
 * the process says which chips it has, and the host which windows it may use to reach their tiles. From then on the
 * process is a probe (proto/probe/message.h). Both are programs of one build. */
#pragma once
#include <stdint.h>

/* The process sends it when the library is loaded. */
struct td_ttsim_chips {
    uint32_t vendor, device, chips;
};
/* The host's answer; `kind_count` struct td_window_kind of `kind_bytes` each follow (host/transport/transport.h). */
struct td_ttsim_setup {
    uint32_t clock_low, clock_live_high, kind_count, kind_bytes;
};
