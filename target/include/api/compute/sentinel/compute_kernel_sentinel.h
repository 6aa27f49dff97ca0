/* Settings of formats that have no effect here: all of it is in common.h. */
#include "api/compute/common.h"
