/* Bands (band.h) of ghost zones: those at least as long as a cell, and runs of shorter ones that end in the same cell.
 * A run has the colour and the place of its first zone. */
#pragma once
#include "host/viewer/timeline/band.h"

/* The key's row is one of these. */
bool td_band_is_ghosts(const struct td_band_key *key);
/* 0, TD_E_NOMEM, or TD_E_NOTFOUND: those of the track are not in the cache, or there is none. */
int td_band_make_ghosts_(struct td_ghost_cache *cache, const struct td_trace *trace,
                         const struct td_band_key *key, struct td_band_data *data);
