/* By the path of 2026. */
#include "tools/profiler/kernel_profiler.hpp"
