/* A board that is an array in this process, and its kernels: eight lanes whose zones nest as in kernels
 * (seven inner zones, then the one around them), in launches of some thousand zones. */
#pragma once
#include "host/agent/board/board_source.h"
#include "tests/device/fake_board.h"

#include <stdbool.h>

#define CORES_LANES      8
#define CORES_STEP_TICKS 40 /* from an inner zone to the next */

/* One core's kernel: what it writes next. */
struct kernel {
    struct fake_core core;
    uint64_t now; /* ticks */
    uint32_t step_ticks, high, inner, in_launch;
    int started, running;
};

struct cores {
    struct fake_board *fake;
    struct td_transport_ops ops;
    struct kernel kernels[CORES_LANES];
};

typedef int cores_clock(struct td_transport *t, struct td_tile_at at, struct td_clock_sample *sample,
                        struct td_err *err);
/* The source that drains them; NULL: *err says why. */
struct td_board_source *cores_begin(struct cores *cores, cores_clock *clock, struct td_dict *dict,
                                    struct td_err *err);
void cores_end(struct cores *cores);
/* Writes zones until the ring is full or the kernel's time is `until`. Returns how many. */
uint64_t cores_fill(struct kernel *kernel, uint64_t until);
