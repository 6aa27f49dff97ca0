/* By tt-metal's path: the kinds of locks are in noc_debugging_profiler.hpp. */
#include "tools/profiler/noc_debugging_profiler.hpp"
