/* By the path before the middle of 2026. */
#include "api/core_local_mem.h"
