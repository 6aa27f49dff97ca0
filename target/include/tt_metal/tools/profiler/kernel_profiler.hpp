/* By tt-metal's path from its root. */
#include "tools/profiler/kernel_profiler.hpp"
