/* By tt-metal's path. */
#include "tools/profiler/noc_event_profiler.hpp"
