/* By the path before the middle of 2026. */
#include "api/tensor/noc_traits.h"
