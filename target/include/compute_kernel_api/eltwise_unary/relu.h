/* By the path before 2025. */
#include "api/compute/eltwise_unary/relu.h"
