/* Reads the L1 buffers of tt-metal's own device profiler (proto/tt/l1_profiler.h) from copies of a tile's memory.
 * The memory may hold anything. */
#pragma once
#include "proto/tt/device_log.h"
#include "proto/tt/l1_profiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_tt_l1_layout {
    const char *name;
    uint16_t words, after, device_end, run, x, y, dropped, done, id_bit;
};
/* Where the control words and the first buffer are in a tile's memory. */
struct td_tt_l1_place {
    const struct td_tt_l1_layout *layout; /* NULL: not found */
    uint32_t control, buffers;
};
/* A pair of coordinates that the tile's firmware may have. */
struct td_tt_l1_xy {
    uint32_t x, y;
};

/* Searches the memory of a tile, from address `from` on, for buffers of any layout which a launch has used. */
struct td_tt_l1_place td_tt_l1_find(const uint32_t *memory, size_t words, uint32_t from,
                                    const struct td_tt_l1_xy *tile, size_t tile_count);
/* The layout "2025" ...; "" or NULL: none has this name. */
const struct td_tt_l1_layout *td_tt_l1_layout_named(const char *name);

struct td_tt_l1_marker {
    enum td_tt_marker kind;
    uint16_t id;
    uint64_t ticks; /* TD_TT_L1_CLOCK_BITS of the clock; 0 for ZONE_TOTAL */
    uint64_t data[2];
};
enum { TD_TT_L1_MARKERS_MOST = TD_TT_L1_BUFFER_WORDS / 2 };
struct td_tt_l1_buffer {
    size_t count;
    struct td_tt_l1_marker marker[TD_TT_L1_MARKERS_MOST]; /* firmware's and kernel's first, then as written */
    bool full;                                            /* a core that has more to mark leaves it out */
    uint32_t odd;                                         /* words that are no marker */
};
/* Reads a core's buffer after its launch. `used`: words that the launch has used, 0: not known; then the markers end
 * where times are before the launch's begin. */
void td_tt_l1_read(const uint32_t buffer[TD_TT_L1_BUFFER_WORDS], uint32_t used, struct td_tt_l1_buffer *to);
