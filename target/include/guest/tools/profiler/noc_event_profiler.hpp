/* For guests in tt-metal's firmware: events of the NoC, in place of tt-metal's own header of this path, which kernel_profiler.hpp
 * of this folder replaces. */
#ifndef TENDRIL_GUEST_NOC_EVENT_PROFILER_HPP
#define TENDRIL_GUEST_NOC_EVENT_PROFILER_HPP
#include "kernel_profiler.hpp"
#ifndef TD_GUEST
#include_next <tools/profiler/noc_event_profiler.hpp>
#endif
#endif
