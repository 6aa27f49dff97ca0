/* By tt-metal's path from its root. */
#include "tools/profiler/fabric_event_profiler.hpp"
