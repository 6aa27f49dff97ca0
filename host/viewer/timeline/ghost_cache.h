/* The ghost zones of tracks that were drawn, made by a thread when they are first wanted. Those that were not drawn
 * for the longest time are dropped beyond 256 MB.
 *
 * The functions are for the viewer's thread, but for td_ghost_cache_hold() and td_track_ghosts_release(). */
#pragma once
#include "host/query/code/ghosts.h"
#include "host/query/task/job.h"

/* The ghost zones of a track. They do not change; the last owner frees them. */
struct td_track_ghosts {
    int references; /* atomic */
    uint32_t track;
    uint64_t samples; /* that the track had */
    struct td_ghosts ghosts;
};

struct td_ghost_cache {
    pthread_mutex_t lock; /* for the list */
    struct td_ghost_entry {
        struct td_track_ghosts *of;
        uint64_t used;
    } * list;
    size_t count, capacity;
    uint64_t clock;
    struct td_job job;
    bool busy;
    uint64_t key;
    struct td_track_ghosts *made; /* the request, and the result of the job */
    const struct td_trace *trace;
};

void td_ghost_cache_init(struct td_ghost_cache *cache);
void td_ghost_cache_free(struct td_ghost_cache *cache);
/* Drops all: the trace has changed otherwise than by growing. */
void td_ghost_cache_forget(struct td_ghost_cache *cache);
/* Whether the track's ghost zones are there; if not, or if they lack samples, has them made. */
bool td_ghost_cache_has(struct td_ghost_cache *cache, const struct td_trace *trace, uint32_t track);
/* Takes what was made; to be called once a frame. True: a track has others than before. */
bool td_ghost_cache_update(struct td_ghost_cache *cache);
/* 0: nothing is being made; 1: something is; 2: something is ready. */
int td_ghost_cache_pending(const struct td_ghost_cache *cache);

/* The caller becomes an owner; NULL: they are not there. Thread-safe. */
struct td_track_ghosts *td_ghost_cache_hold(struct td_ghost_cache *cache, uint32_t track);
void td_track_ghosts_release(struct td_track_ghosts *ghosts); /* NULL is allowed */
