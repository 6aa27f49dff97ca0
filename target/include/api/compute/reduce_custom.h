/* All of it is in reduce.h. */
#include "api/compute/reduce.h"
