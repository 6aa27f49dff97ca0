/* The scales of bands, and when they begin. */
#include "host/viewer/timeline/band.h"

#include <math.h>

double td_band_cell_ns(int level)
{
    return ldexp(1, level);
}

int td_band_level_for(double cell_ns)
{
    int level = (int)ceil(log2(fmax(cell_ns, 1e-9)) - 1e-9);
    return level < TD_BAND_MIN_LEVEL   ? TD_BAND_MIN_LEVEL
           : level > TD_BAND_MAX_LEVEL ? TD_BAND_MAX_LEVEL
                                       : level;
}

double td_band_start_ns(const struct td_band_key *key)
{
    return (double)key->index * TD_BAND_CELLS * td_band_cell_ns(key->level);
}

int64_t td_band_index_at(int level, double time_ns)
{
    return (int64_t)floor(fmin(fmax(time_ns / (TD_BAND_CELLS * td_band_cell_ns(level)), -4e18), 4e18));
}
