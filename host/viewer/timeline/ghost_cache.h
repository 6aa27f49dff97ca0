/* The ghost zones of tracks that were drawn, made by a thread when they are first wanted. Those that were not drawn
 * for the longest time are dropped beyond 256 MB. */
#ifndef TD_HOST_VIEWER_TIMELINE_GHOST_CACHE_H
#define TD_HOST_VIEWER_TIMELINE_GHOST_CACHE_H
#include "host/viewer/analysis/ghosts.h"
#include "host/viewer/analysis/job.h"

struct td_ghost_cache { /* all zero: empty */
    struct td_ghost_entry {
        uint32_t track;
        uint64_t samples; /* that the track had */
        uint64_t used;
        struct td_ghosts ghosts;
    } * list;
    size_t count, capacity;
    uint64_t clock;
    struct td_job job;
    bool busy;
    uint64_t key;
    struct td_ghost_entry made; /* the request, and the result of the job */
    const struct td_trace *trace;
};

/* NULL: they are being made. */
const struct td_ghosts *td_ghost_cache_get(struct td_ghost_cache *cache, const struct td_trace *trace,
                                           uint32_t track);
/* Takes what was made; to be called once a frame. */
void td_ghost_cache_update(struct td_ghost_cache *cache);
/* 0: nothing is being made; 1: something is; 2: something is ready. */
int td_ghost_cache_pending(const struct td_ghost_cache *cache);
void td_ghost_cache_free(struct td_ghost_cache *cache);
#endif
