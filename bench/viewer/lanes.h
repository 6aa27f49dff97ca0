/* A made trace of a board: five cores a tile that run kernels, with work and waits in them. The same for the
 * same numbers. */
#pragma once
#include "host/trace/trace.h"

#define LANES_PER_TILE 5u

/* A finished trace of `tiles` tiles with about `zones` zones in all; NULL: no memory. */
struct td_trace *make_lanes(uint32_t tiles, uint64_t zones);
