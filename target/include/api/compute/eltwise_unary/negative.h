/* All of it is in compute_kernel_api.h and tile_move_copy.h. */
#include "api/compute/compute_kernel_api.h"
#include "api/compute/tile_move_copy.h"
