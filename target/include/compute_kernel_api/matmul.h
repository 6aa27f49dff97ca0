/* By the path before 2025. */
#include "api/compute/matmul.h"
