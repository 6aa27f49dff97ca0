/* By tt-metal's path. */
#include "api/core_registers.h"
