/* By tt-metal's path from its root. */
#include "tools/profiler/perf_counters.hpp"
