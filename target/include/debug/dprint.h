/* tt-metal's path of this header before 2025. */
#ifndef TENDRIL_DEBUG_DPRINT_H
#define TENDRIL_DEBUG_DPRINT_H
#include "api/debug/dprint.h"
#endif
