/* By tt-metal's path. */
#include "ckernel.h"
