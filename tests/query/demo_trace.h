/* Traces made for the viewer's tests. */
#pragma once
#include "host/trace/trace.h"

/* A matrix product on `tiles` x `tiles` tiles of five cores: host threads with nested zones, frames,
 * messages, plots, waits, stalls, losses and flows. The bound on the error of device times is 412 ns, and 205 ns
 * from DEMO_CLOCK_CHANGE_NS on. The same at every call. */
#define DEMO_CLOCK_CHANGE_NS 2000000
struct td_trace *demo_trace(int tiles);
/* One track with `zones` zones of 60 ns, one every 100 ns, in a zone that spans all of them. */
struct td_trace *dense_trace(size_t zones);
/* Chips of width x height tiles of five cores, one tile less each, of which those in the middle work longest;
 * tile 1,0 of chip 0 is a straggler. The same at every call. */
struct td_trace *grid_trace(int chips, int width, int height);
/* The same with 4 x 3 tiles, and notes about maps of chips (mapped_grid_text); those of chips without are NULL. */
#define MAPPED_CHIPS 4
extern const char *const mapped_grid_text[MAPPED_CHIPS];
struct td_trace *mapped_grid_trace(void);
/* Chip 0 of the same map, each core with one zone from 0 to 1 ms, and these messages, whose texts are copied. */
struct noc_line {
    int64_t time_ns;
    int x, y, core; /* of a tile's two */
    char text[160];
};
struct td_trace *noc_trace(const struct noc_line *lines, size_t count);
