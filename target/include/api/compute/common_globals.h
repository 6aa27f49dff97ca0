/* All of it is in common.h. */
#include "api/compute/common.h"
