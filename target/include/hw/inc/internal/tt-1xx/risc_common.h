/* By tt-metal's path. */
#include "internal/tt-1xx/risc_common.h"
