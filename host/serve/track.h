/* The thread context of a track's items. */
#pragma once
#include "host/serve/put.h"

#define TD_TRACK_ROOM (3 * TD_ITEM_MAX)

/* Makes the track's thread the current one, for an item with this time; a fiber that has not run yet runs from
 * then on. At most TD_TRACK_ROOM bytes. */
uint8_t *td_track_put(struct td_viewer *v, uint8_t *p, struct td_track_place *track, uint32_t number,
                      int64_t ns);
