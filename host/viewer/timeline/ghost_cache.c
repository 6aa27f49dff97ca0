#include "host/viewer/timeline/ghost_cache.h"
#include "host/base/grow.h"
#include "host/event/map.h"
#include "host/trace/tables.h"

#include <stdlib.h>

#define MOST_BYTES ((size_t)256 << 20)

static void make_ghosts(void *self, struct td_job *job)
{
    struct td_ghost_cache *c = self;
    (void)job;
    /* Without memory there are none. */
    td_ghosts_make(&c->made.ghosts, c->trace, c->made.track);
}

static struct td_ghost_entry *find_entry(struct td_ghost_cache *c, uint32_t track)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->list[i].track == track)
            return &c->list[i];
    return NULL;
}

static void drop_oldest(struct td_ghost_cache *c)
{
    size_t bytes = 0;
    for (size_t i = 0; i < c->count; i++)
        bytes += td_ghosts_bytes(&c->list[i].ghosts);
    while (bytes > MOST_BYTES && c->count > 1) {
        size_t oldest = 0;
        for (size_t i = 1; i < c->count; i++)
            if (c->list[i].used < c->list[oldest].used)
                oldest = i;
        bytes -= td_ghosts_bytes(&c->list[oldest].ghosts);
        td_ghosts_free(&c->list[oldest].ghosts);
        c->list[oldest] = c->list[--c->count];
    }
}

void td_ghost_cache_update(struct td_ghost_cache *c)
{
    bool fresh = false;
    if (!c->busy)
        return;
    const enum td_job_state state = td_job_want(&c->job, c->key, &fresh);
    if (state == TD_JOB_RUNNING)
        return;
    c->busy = false;
    if (!fresh)
        return; /* it was stopped */
    struct td_ghost_entry *entry = find_entry(c, c->made.track);
    if (!entry && td_grow(&c->list, &c->capacity, c->count + 1, sizeof *c->list) == 0) {
        entry = &c->list[c->count++];
        *entry = (struct td_ghost_entry){0};
    }
    if (entry) {
        td_ghosts_free(&entry->ghosts);
        *entry = c->made;
        entry->used = ++c->clock;
        c->made = (struct td_ghost_entry){0};
        drop_oldest(c);
    }
}

const struct td_ghosts *td_ghost_cache_get(struct td_ghost_cache *c, const struct td_trace *trace,
                                           uint32_t track)
{
    const uint64_t samples = td_series_count(td_trace_list(trace, TD_TABLE_SAMPLE, track));
    struct td_ghost_entry *entry = find_entry(c, track);
    if ((!entry || entry->samples != samples) && !c->busy) {
        td_ghosts_free(&c->made.ghosts);
        c->made = (struct td_ghost_entry){.track = track, .samples = samples};
        c->trace = trace;
        c->key = td_mix64(td_mix64(track + 1) ^ samples ^ c->clock << 40);
        c->busy = true;
        td_job_start(&c->job, c->key, make_ghosts, c);
    }
    if (!entry)
        return NULL;
    entry->used = ++c->clock;
    return &entry->ghosts;
}

int td_ghost_cache_pending(const struct td_ghost_cache *c)
{
    if (!c->busy || (!c->job.running && !c->job.finished))
        return 0;
    return __atomic_load_n(&c->job.done, __ATOMIC_ACQUIRE) ? 2 : 1;
}

void td_ghost_cache_free(struct td_ghost_cache *c)
{
    td_job_stop(&c->job);
    td_ghosts_free(&c->made.ghosts);
    for (size_t i = 0; i < c->count; i++)
        td_ghosts_free(&c->list[i].ghosts);
    free(c->list);
    *c = (struct td_ghost_cache){0};
}
