/* The maps of the trace's chips: what is at each place of their NoC (TD_NOTE_CHIP_MAP). */
#pragma once
#include "host/trace/trace.h"
#include "proto/chip_map.h"

struct td_chip_maps {        /* all zero: none */
    struct td_chip_map *map; /* by chip */
    size_t count;
};

/* Reads the notes of the trace, which may grow. The first map of a chip counts. 0 or TD_E_NOMEM. */
int td_chip_maps_read(struct td_chip_maps *maps, const struct td_trace *trace);
void td_chip_maps_free(struct td_chip_maps *maps);
/* NULL: the trace has none of this chip. */
const struct td_chip_map *td_chip_maps_get(const struct td_chip_maps *maps, uint32_t chip);
