/* Bands (band.h) of context switches: runs of a thread, runs on a processor, and the shares of all processors. A
 * run is an item; those that begin in the same cell are one. */
#pragma once
#include "host/viewer/timeline/band.h"
#include "host/viewer/ui/color.h"

/* The colour of a thread in rows of processors. */
td_rgba td_runner_color(const struct td_switches *switches, uint64_t thread);
/* The key's row is one of these. */
bool td_band_is_switches(const struct td_band_key *key);
/* 0 or TD_E_NOMEM. `switches` may be NULL: there are none. */
int td_band_make_switches_(struct td_switches *switches, const struct td_band_key *key, double open_ns,
                           struct td_band_data *data);
