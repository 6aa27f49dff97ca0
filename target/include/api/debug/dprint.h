/* What kernels print, by tt-metal's path: DPRINT << "tile " << i << ENDL(), DPRINT("tile {}\n", i),
 * DEVICE_PRINT("tile {}\n", i), and elements of tiles. */
#ifndef TENDRIL_API_DEBUG_DPRINT_H
#define TENDRIL_API_DEBUG_DPRINT_H
#include "api/debug/dprint_stream.h"
#include "api/debug/dprint_tile.h"
#include "api/debug/format.h"
#endif
