/* What is kept between frames to draw the timeline, most of it made by threads. */
#pragma once
#include "host/viewer/timeline/ghost_cache.h"
#include "host/viewer/timeline/memory_curves.h"
#include "host/viewer/timeline/pictures.h"
#include "host/query/sums/marks.h"

/* Whose code call stacks were sampled in, as far as they were drawn. */
struct td_stack_origins { /* all zero: none */
    uint8_t *of;          /* by row of STACK: enum td_code_origin + 1; 0: not known yet */
    uint64_t stacks, key; /* key: changes when more is known of functions */
};

struct td_drawn {
    struct td_bands *bands;
    struct td_ghost_cache ghosts;
    struct td_memory_curves memory;
    struct td_pictures pictures;     /* of frames */
    struct td_stack_origins origins; /* of samples */
    bool has_threads;                /* see td_view_use_threads() */
    bool has_found;                  /* the search has found more since the last frame */
    size_t count;                    /* zones, and cells with zones, in the rows of the timeline */
    struct td_zone_ref self_of;      /* the zone whose self time is self_ns */
    int64_t self_ns;
};
