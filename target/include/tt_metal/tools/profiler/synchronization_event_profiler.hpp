/* By tt-metal's path from its root. */
#include "tools/profiler/synchronization_event_profiler.hpp"
