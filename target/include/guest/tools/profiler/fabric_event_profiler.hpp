/* For guests in tt-metal's firmware: where a kernel hands a packet to the fabric, the address of its header as an
 * instant, with PROFILE_NOC_EVENTS; in place of tt-metal's own header of this path. */
#ifndef TENDRIL_GUEST_FABRIC_EVENT_PROFILER_HPP
#define TENDRIL_GUEST_FABRIC_EVENT_PROFILER_HPP
#include "kernel_profiler.hpp"
#ifndef TD_GUEST
#include_next <tools/profiler/fabric_event_profiler.hpp>
#elif defined(PROFILE_NOC_EVENTS)
#include "../../../tools/profiler/fabric_event_profiler.hpp"
#else
#define RECORD_FABRIC_HEADER(header)
#endif
#endif
