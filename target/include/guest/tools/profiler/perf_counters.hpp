/* For guests in tt-metal's firmware: performance counters, in place of tt-metal's own header of this path, which kernel_profiler.hpp
 * of this folder replaces. */
#ifndef TENDRIL_GUEST_PERF_COUNTERS_HPP
#define TENDRIL_GUEST_PERF_COUNTERS_HPP
#include "kernel_profiler.hpp"
#ifndef TD_GUEST
#include_next <tools/profiler/perf_counters.hpp>
#endif
#endif
