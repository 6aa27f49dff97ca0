/* By tt-metal's path from its root. */
#include "tools/profiler/noc_debugging_metadata.hpp"
