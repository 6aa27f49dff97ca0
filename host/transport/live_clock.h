/* Reads a tile's clock without the latch of its high half, which all cores of the tile share. */
#pragma once
#include "host/transport/transport.h"

struct td_live_clock {
    uint32_t low, live_high; /* addresses of the halves; 0: not known */
    /* As the transport's own read. */
    int (*read)(struct td_transport *t, struct td_tile_at at, uint64_t address, void *to, size_t bytes,
                struct td_err *err);
    const char *path; /* of the board, for messages */
};
int td_live_clock_read(const struct td_live_clock *clock, struct td_transport *t, struct td_tile_at at,
                       struct td_clock_sample *sample, struct td_err *err);
