/* By the path before 2025. */
#include "api/compute/tile_move_copy.h"
