/* By the path before 2025. */
#include "api/compute/reg_api.h"
