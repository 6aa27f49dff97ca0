#include "host/viewer/timeline/ghost_cache.h"
#include "host/base/grow.h"
#include "host/event/map.h"
#include "host/trace/tables.h"

#include <stdlib.h>

#define MOST_BYTES ((size_t)256 << 20)

void td_ghost_cache_init(struct td_ghost_cache *c)
{
    *c = (struct td_ghost_cache){0};
    pthread_mutex_init(&c->lock, NULL);
}

void td_track_ghosts_release(struct td_track_ghosts *g)
{
    if (!g || __atomic_sub_fetch(&g->references, 1, __ATOMIC_ACQ_REL))
        return;
    td_ghosts_free(&g->ghosts);
    free(g);
}

static void make_ghosts(void *self, struct td_job *job)
{
    struct td_ghost_cache *c = self;
    /* Without memory there are none. */
    td_ghosts_make(&c->made->ghosts, c->trace, c->made->track, job);
}

static struct td_ghost_entry *find_entry(struct td_ghost_cache *c, uint32_t track)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->list[i].of->track == track)
            return &c->list[i];
    return NULL;
}

static void drop_oldest(struct td_ghost_cache *c)
{
    size_t bytes = 0;
    for (size_t i = 0; i < c->count; i++)
        bytes += td_ghosts_bytes(&c->list[i].of->ghosts);
    while (bytes > MOST_BYTES && c->count > 1) {
        size_t oldest = 0;
        for (size_t i = 1; i < c->count; i++)
            if (c->list[i].used < c->list[oldest].used)
                oldest = i;
        bytes -= td_ghosts_bytes(&c->list[oldest].of->ghosts);
        td_track_ghosts_release(c->list[oldest].of);
        c->list[oldest] = c->list[--c->count];
    }
}

/* Takes over what was made. True: it replaces others. */
static bool take_made(struct td_ghost_cache *c)
{
    struct td_ghost_entry *entry = find_entry(c, c->made->track);
    const bool replaces = entry != NULL;
    if (!entry && td_grow(&c->list, &c->capacity, c->count + 1, sizeof *c->list) == 0) {
        entry = &c->list[c->count++];
        *entry = (struct td_ghost_entry){0};
    }
    if (!entry)
        return false;
    td_track_ghosts_release(entry->of);
    *entry = (struct td_ghost_entry){c->made, ++c->clock};
    c->made = NULL;
    drop_oldest(c);
    return replaces;
}

bool td_ghost_cache_update(struct td_ghost_cache *c)
{
    bool fresh = false;
    if (!c->busy)
        return false;
    const enum td_job_state state = td_job_want(&c->job, c->key, &fresh);
    if (state == TD_JOB_RUNNING)
        return false;
    c->busy = false;
    if (!fresh)
        return false; /* it was stopped */
    pthread_mutex_lock(&c->lock);
    const bool replaces = take_made(c);
    pthread_mutex_unlock(&c->lock);
    return replaces;
}

static void start_making(struct td_ghost_cache *c, const struct td_trace *trace, uint32_t track,
                         uint64_t samples)
{
    td_track_ghosts_release(c->made);
    c->made = malloc(sizeof *c->made);
    if (!c->made)
        return;
    *c->made = (struct td_track_ghosts){.references = 1, .track = track, .samples = samples};
    c->trace = trace;
    c->key = td_mix64(td_mix64(track + 1) ^ samples ^ c->clock << 40);
    c->busy = true;
    td_job_start(&c->job, c->key, make_ghosts, c);
}

bool td_ghost_cache_has(struct td_ghost_cache *c, const struct td_trace *trace, uint32_t track)
{
    const uint64_t samples = td_series_count(td_trace_list(trace, TD_TABLE_SAMPLE, track));
    struct td_ghost_entry *entry = find_entry(c, track);
    if ((!entry || entry->of->samples != samples) && !c->busy)
        start_making(c, trace, track, samples);
    if (entry)
        entry->used = ++c->clock;
    return entry != NULL;
}

int td_ghost_cache_pending(const struct td_ghost_cache *c)
{
    if (!c->busy || (!c->job.running && !c->job.finished))
        return 0;
    return __atomic_load_n(&c->job.done, __ATOMIC_ACQUIRE) ? 2 : 1;
}

struct td_track_ghosts *td_ghost_cache_hold(struct td_ghost_cache *c, uint32_t track)
{
    pthread_mutex_lock(&c->lock);
    const struct td_ghost_entry *entry = find_entry(c, track);
    struct td_track_ghosts *held = entry ? entry->of : NULL;
    if (held)
        __atomic_add_fetch(&held->references, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&c->lock);
    return held;
}

void td_ghost_cache_forget(struct td_ghost_cache *c)
{
    td_job_stop(&c->job);
    pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < c->count; i++)
        td_track_ghosts_release(c->list[i].of);
    c->count = 0;
    pthread_mutex_unlock(&c->lock);
}

void td_ghost_cache_free(struct td_ghost_cache *c)
{
    td_ghost_cache_forget(c);
    td_track_ghosts_release(c->made);
    free(c->list);
    pthread_mutex_destroy(&c->lock);
    *c = (struct td_ghost_cache){0};
}
