/* By tt-metal's path from its root. */
#include "tools/profiler/noc_event_profiler.hpp"
