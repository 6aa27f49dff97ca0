/* Converts times of a program to times of the trace. */
#ifndef TD_HOST_AGENT_CLIENT_CLIENT_CLOCK_H
#define TD_HOST_AGENT_CLIENT_CLIENT_CLOCK_H
#include "host/agent/client/client_source.h"

/* Fills ns_per_tick, zero_ticks and zero_ns. True: the times are exact; false: they are aligned by the
 * machines' time of day, to about a second. */
bool td_client_relate_clocks(const struct td_client_source_config *config,
                             const struct td_wire_welcome *welcome, struct td_client_stream_config *stream);
/* The client's ticks come from the clock that td_host_ticks() reads: the rate is the same, and the ticks
 * since the program's start agree with the seconds since then. */
bool td_client_reads_our_clock(const struct td_wire_welcome *welcome, double ns_per_tick);
#endif
