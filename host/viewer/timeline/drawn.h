/* What is kept between frames to draw the timeline, most of it made by threads. */
#pragma once
#include "host/viewer/timeline/ghost_cache.h"
#include "host/viewer/timeline/memory_curves.h"
#include "host/viewer/timeline/pictures.h"
#include "host/query/sums/marks.h"

struct td_drawn {
    struct td_bands *bands;
    struct td_ghost_cache ghosts;
    struct td_memory_curves memory;
    struct td_pictures pictures; /* of frames */
    bool has_threads;            /* see td_view_use_threads() */
    bool has_found;              /* the search has found more since the last frame */
    size_t count;                /* zones, and cells with zones, in the rows of the timeline */
    struct td_zone_ref self_of;  /* the zone whose self time is self_ns */
    int64_t self_ns;
};
