/* A trace of a chip that ran operations one after the other, each on all of its cores. */
#pragma once
#include "host/base/err.h"

#include <stdint.h>

enum { DEVICE_TILES = 130, DEVICE_LANES = 5, DEVICE_ZONES_A_LAUNCH = 20 };

/* Writes a trace with about that many zones. 0 or a negative enum td_e. */
int device_trace_write(const char *path, uint64_t zones, struct td_err *err);
