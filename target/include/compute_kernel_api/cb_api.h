/* By the path before 2025. */
#include "api/compute/cb_api.h"
