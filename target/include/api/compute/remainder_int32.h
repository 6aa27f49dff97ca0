/* All functions of tiles are in compute_kernel_api.h. */
#include "api/compute/compute_kernel_api.h"
