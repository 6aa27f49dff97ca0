/* Names of tracks. */
#pragma once
#include "host/trace/trace.h"

#define TD_NO_TRACK         UINT32_MAX
#define TD_TRACK_NAME_BYTES 48

/* The track's own name, or one made from its number in `room`; "" for TD_NO_TRACK. */
const char *td_track_name(const struct td_dict *dict, uint32_t track, char room[TD_TRACK_NAME_BYTES]);
/* The same with the GPU context, if it is in one; "???": the track has no name. */
#define TD_TRACK_LONG_NAME_BYTES 300
const char *td_track_long_name(const struct td_trace *trace, uint32_t track,
                               char room[TD_TRACK_LONG_NAME_BYTES]);
