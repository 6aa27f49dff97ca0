/* By the path before 2026. */
#include "internal/mod_div_lib.h"
