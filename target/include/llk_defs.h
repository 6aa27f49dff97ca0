/* By tt-metal's path: kinds of operations. */
#include "api/compute/kinds.h"

using namespace ckernel;
