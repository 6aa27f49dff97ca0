/* tt-metal's path of this header before 2025. */
#ifndef TENDRIL_DEBUG_WAYPOINT_H
#define TENDRIL_DEBUG_WAYPOINT_H
#include "api/debug/waypoint.h"
#endif
