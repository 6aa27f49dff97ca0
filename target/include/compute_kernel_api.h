/* By the path before 2025. */
#include "api/compute/compute_kernel_api.h"
