/* DEVICE_PRINT("tile {}\n", i): by tt-metal's path of 2026. */
#include "api/debug/dprint.h"
