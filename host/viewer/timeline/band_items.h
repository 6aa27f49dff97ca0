/* For what makes bands (band.h). */
#pragma once
#include "host/base/err.h"
#include "host/viewer/timeline/band.h"

#include <stdlib.h>
#include <string.h>

/* Copies the items, and their number. 0 or TD_E_NOMEM. */
static inline int td_band_keep_items(struct td_band_data *data, const struct td_band_item *items,
                                     uint32_t count)
{
    data->items = malloc((count + 1) * sizeof *items);
    if (!data->items)
        return TD_E_NOMEM;
    memcpy(data->items, items, count * sizeof *items);
    data->count = count;
    return 0;
}
