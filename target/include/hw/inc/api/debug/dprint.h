/* By tt-metal's path. */
#include "api/debug/dprint.h"
