#include "host/viewer/timeline/band_cache.h"
#include "host/viewer/timeline/band_lists.h"
#include "host/base/grow.h"
#include "host/base/thread.h"
#include "host/event/map.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS     16384u
#define MAX_BYTES   ((size_t)24 << 20)
#define MAX_THREADS 8u

struct cache_entry {
    struct td_band band;
    struct td_band_key key;
    struct cache_entry *next;
    uint64_t drawn;  /* frame */
    uint64_t wanted; /* frame in which a job was made for it */
    unsigned generation, match_generation, palette;
    bool ready, final;
    bool taken; /* a thread works on it */
};

/* A band to be made, or only its matches. */
struct band_job {
    struct cache_entry *entry;
    struct td_band_source *source;
    unsigned palette;
    struct td_track_list *list;
    struct td_band_state state;
    bool only_matches, failed;
    struct td_band made;
};

struct job_list {
    struct band_job *jobs;
    size_t count, capacity;
};

struct td_bands {
    struct td_band_source *source;
    struct td_zone_coloring coloring; /* of the source */
    unsigned palette;                 /* counts the changes of it */
    const struct td_trace *trace;
    struct td_band_parts parts;
    struct cache_entry *buckets[BUCKETS];
    size_t bytes, entries;
    uint64_t frame;
    struct td_band_state state;
    struct job_list wanted, later; /* of this frame */

    pthread_mutex_t lock; /* for what follows, and for `taken` */
    pthread_cond_t work, idle;
    struct job_list queue, done;
    size_t next; /* of the queue */
    unsigned running, thread_count;
    bool stop;
    pthread_t threads[MAX_THREADS];
};

/* ---- lists ---- */

struct td_track_list *td_track_list_create(uint32_t count)
{
    struct td_track_list *list = malloc(sizeof *list + (size_t)count * sizeof *list->tracks);
    if (list)
        *list = (struct td_track_list){.references = 1, .count = count};
    return list;
}

static struct td_track_list *share_list(struct td_track_list *list)
{
    if (list)
        __atomic_add_fetch(&list->references, 1, __ATOMIC_RELAXED);
    return list;
}

void td_track_list_release(struct td_track_list *list)
{
    if (list && __atomic_sub_fetch(&list->references, 1, __ATOMIC_ACQ_REL) == 0)
        free(list);
}

static int add_job(struct job_list *list, const struct band_job *job)
{
    return TD_APPEND(list->jobs, list->count, list->capacity, *job);
}

static void release_job(struct band_job *job)
{
    td_band_data_free(&job->made.data);
    free(job->made.match);
    td_band_source_destroy(job->source);
    td_track_list_release(job->list);
    td_matches_release(job->state.matches);
}

static void release_jobs(struct job_list *list, size_t from)
{
    for (size_t i = from; i < list->count; i++)
        release_job(&list->jobs[i]);
    list->count = 0;
}

/* ---- making bands ---- */

static void run_job(struct band_job *job)
{
    const struct td_band_key *key = &job->entry->key;
    const uint32_t *tracks = job->list ? job->list->tracks : NULL, count = job->list ? job->list->count : 0;
    const double last_ns = job->state.last_ns;
    int rc = 0;
    if (!job->only_matches && key->row == TD_BAND_GROUP)
        rc = td_band_make_group(job->source, key, tracks, count, job->state.deep, last_ns, &job->made.data);
    else if (td_band_is_list(key))
        rc = td_band_make_list(job->source, key, last_ns, &job->made.data);
    else if (!job->only_matches)
        rc = td_band_make_row(job->source, key, last_ns, &job->made.data);
    const struct td_band_data *data = job->only_matches ? &job->entry->band.data : &job->made.data;
    if (rc == 0 && job->state.matches && !td_band_is_list(key))
        job->made.match = td_band_match(job->source, key, data, tracks, count, job->state.matches, last_ns);
    job->failed = rc < 0 || (job->state.matches && !job->made.match && !td_band_is_list(key));
}

static void *make_bands(void *self)
{
    struct td_bands *s = self;
    pthread_mutex_lock(&s->lock);
    while (!s->stop) {
        if (s->next >= s->queue.count) {
            pthread_cond_wait(&s->work, &s->lock);
            continue;
        }
        struct band_job job = s->queue.jobs[s->next];
        s->queue.jobs[s->next++] = (struct band_job){0};
        job.entry->taken = true;
        s->running++;
        pthread_mutex_unlock(&s->lock);
        run_job(&job);
        pthread_mutex_lock(&s->lock);
        s->running--;
        if (add_job(&s->done, &job) < 0) {
            job.entry->taken = false;
            release_job(&job);
        }
        if (!s->running)
            pthread_cond_broadcast(&s->idle);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* ---- the cache ---- */

static size_t bytes_of(const struct cache_entry *e)
{
    const struct td_band_data *d = &e->band.data;
    return sizeof *e + d->count * ((d->items    ? sizeof *d->items
                                    : d->points ? sizeof *d->points
                                                : sizeof *d->cells) +
                                   (e->band.match != NULL));
}

static struct cache_entry **place_of(struct td_bands *s, const struct td_band_key *key)
{
    uint64_t hash = td_mix64((uint64_t)key->track << 32 | key->row);
    hash = td_mix64(hash ^ ((uint64_t)key->index * 64 + (uint64_t)(key->level - TD_BAND_MIN_LEVEL)));
    struct cache_entry **at = &s->buckets[hash % BUCKETS];
    while (*at && ((*at)->key.track != key->track || (*at)->key.row != key->row ||
                   (*at)->key.level != key->level || (*at)->key.index != key->index))
        at = &(*at)->next;
    return at;
}

static void free_entry(struct td_bands *s, struct cache_entry *e)
{
    s->bytes -= bytes_of(e);
    s->entries--;
    td_band_data_free(&e->band.data);
    free(e->band.match);
    free(e);
}

static int compare_frames(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The frame so that dropping all that was drawn in it or before leaves half of the bands. */
static uint64_t middle_frame(const struct td_bands *s)
{
    uint64_t *frames = malloc((s->entries + 1) * sizeof *frames), middle = 0;
    size_t count = 0;
    if (!frames)
        return 0;
    for (unsigned b = 0; b < BUCKETS; b++)
        for (const struct cache_entry *e = s->buckets[b]; e; e = e->next)
            frames[count++] = e->drawn;
    qsort(frames, count, sizeof *frames, compare_frames);
    middle = count ? frames[count / 2] : 0;
    free(frames);
    return middle;
}

/* Drops what was drawn in frame `last` or before; the caller holds the lock. */
static void drop_entries(struct td_bands *s, uint64_t last)
{
    for (unsigned b = 0; b < BUCKETS; b++)
        for (struct cache_entry **at = &s->buckets[b]; *at;) {
            struct cache_entry *e = *at;
            if (e->taken || e->drawn > last) {
                at = &e->next;
                continue;
            }
            *at = e->next;
            free_entry(s, e);
        }
}

/* Whether nothing that is still to come changes the band. */
static bool is_final(const struct cache_entry *e, double settled_ns)
{
    const struct td_band_data *data = &e->band.data;
    const double end_ns = td_band_start_ns(&e->key) + TD_BAND_CELLS * td_band_cell_ns(e->key.level);
    if (isinf(settled_ns))
        return settled_ns > 0;
    return !data->has_open && (td_band_is_list(&e->key) ? data->complete : end_ns < settled_ns);
}

/* Takes over what was made. */
static void take_result(struct td_bands *s, struct band_job *job)
{
    struct cache_entry *e = job->entry;
    s->bytes -= bytes_of(e);
    if (!job->failed && !job->only_matches) {
        td_band_data_free(&e->band.data);
        e->band.data = job->made.data;
        job->made.data = (struct td_band_data){0};
        e->final = is_final(e, job->state.settled_ns);
        e->generation = job->state.generation;
        e->palette = job->palette;
        e->ready = true;
    }
    if (!job->failed) {
        free(e->band.match);
        e->band.match = job->made.match;
        job->made.match = NULL;
        e->match_generation = job->state.match_generation;
    }
    s->bytes += bytes_of(e);
    release_job(job);
}

static void take_results(struct td_bands *s)
{
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->done.count; i++) {
        s->done.jobs[i].entry->taken = false;
        take_result(s, &s->done.jobs[i]);
    }
    s->done.count = 0;
    pthread_mutex_unlock(&s->lock);
}

struct td_bands *td_bands_create(const struct td_trace *trace, unsigned threads)
{
    struct td_bands *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->trace = trace;
    s->source = td_band_source_create(trace);
    if (!s->source) {
        free(s);
        return NULL;
    }
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->work, NULL);
    pthread_cond_init(&s->idle, NULL);
    for (threads = threads < MAX_THREADS ? threads : MAX_THREADS; s->thread_count < threads;
         s->thread_count++)
        if (td_thread_create(&s->threads[s->thread_count], NULL, make_bands, s) != 0)
            break;
    return s;
}

void td_bands_use(struct td_bands *s, const struct td_band_parts *parts)
{
    s->parts = *parts;
    td_band_source_use(s->source, parts);
}

/* Empties the queue and waits for the threads. */
static void settle_threads(struct td_bands *s)
{
    pthread_mutex_lock(&s->lock);
    release_jobs(&s->queue, s->next);
    s->next = 0;
    while (s->running)
        pthread_cond_wait(&s->idle, &s->lock);
    pthread_mutex_unlock(&s->lock);
    take_results(s);
}

/* Old pyramids are better than none: without memory nothing changes. */
static bool replace_source(struct td_bands *s)
{
    struct td_band_source *fresh = td_band_source_create(s->trace);
    if (!fresh)
        return false;
    td_band_source_color(fresh, s->coloring);
    td_band_source_use(fresh, &s->parts);
    td_band_source_destroy(s->source);
    s->source = fresh;
    return true;
}

void td_bands_forget(struct td_bands *s)
{
    settle_threads(s);
    drop_entries(s, UINT64_MAX);
    replace_source(s);
}

void td_bands_destroy(struct td_bands *s)
{
    if (!s)
        return;
    settle_threads(s);
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_cond_broadcast(&s->work);
    pthread_mutex_unlock(&s->lock);
    for (unsigned i = 0; i < s->thread_count; i++)
        pthread_join(s->threads[i], NULL);
    drop_entries(s, UINT64_MAX);
    release_jobs(&s->wanted, 0);
    release_jobs(&s->later, 0);
    free(s->wanted.jobs);
    free(s->later.jobs);
    free(s->queue.jobs);
    free(s->done.jobs);
    td_band_source_destroy(s->source);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->work);
    pthread_cond_destroy(&s->idle);
    free(s);
}

/* ---- a frame ---- */

void td_bands_begin_frame(struct td_bands *s, const struct td_band_state *state)
{
    take_results(s);
    s->frame++;
    s->state = *state;
    if (!td_zone_coloring_equal(s->coloring, state->coloring)) {
        const struct td_zone_coloring before = s->coloring;
        s->coloring = state->coloring;
        if (replace_source(s))
            s->palette++;
        else
            s->coloring = before;
    }
}

static struct cache_entry *find_or_add_entry(struct td_bands *s, const struct td_band_key *key)
{
    struct cache_entry **at = place_of(s, key);
    if (!*at && (*at = calloc(1, sizeof **at))) {
        (*at)->key = *key;
        s->bytes += bytes_of(*at);
        s->entries++;
    }
    return *at;
}

/* Whether the band has to be made, or made anew, or only its matches. */
static bool needs_job(const struct td_bands *s, const struct cache_entry *e, bool *only_matches)
{
    *only_matches = false;
    const bool is_list = td_band_is_list(&e->key);
    if (!e->ready || (!e->final && e->generation != s->state.generation) ||
        (e->palette != s->palette && e->key.row != TD_BAND_GROUP && !is_list))
        return true;
    *only_matches = !is_list && s->state.matches && e->match_generation != s->state.match_generation;
    return *only_matches;
}

static void want(struct td_bands *s, struct cache_entry *e, struct td_track_list *list, struct job_list *jobs)
{
    struct band_job job = {.entry = e, .state = s->state};
    if (e->wanted == s->frame || !needs_job(s, e, &job.only_matches))
        return;
    job.source = td_band_source_share(s->source);
    job.palette = s->palette;
    job.list = share_list(list);
    td_matches_share(job.state.matches);
    e->wanted = s->frame;
    if (!s->thread_count) {
        run_job(&job);
        take_result(s, &job);
    } else if (add_job(jobs, &job) < 0) {
        release_job(&job);
    }
}

const struct td_band *td_bands_get(struct td_bands *s, const struct td_band_key *key,
                                   struct td_track_list *list)
{
    struct cache_entry *e = find_or_add_entry(s, key);
    if (!e)
        return NULL;
    e->drawn = s->frame;
    want(s, e, list, &s->wanted);
    return e->ready ? &e->band : NULL;
}

const struct td_band *td_bands_peek(struct td_bands *s, const struct td_band_key *key)
{
    struct cache_entry *e = *place_of(s, key);
    if (!e || !e->ready)
        return NULL;
    e->drawn = s->frame;
    return &e->band;
}

void td_bands_prefetch(struct td_bands *s, const struct td_band_key *key, struct td_track_list *list)
{
    struct cache_entry *e = s->thread_count ? find_or_add_entry(s, key) : NULL;
    if (!e)
        return;
    e->drawn = s->frame;
    if (!e->ready)
        want(s, e, list, &s->later);
}

/* Jobs of bands that a thread works on come again when it is done, if still needed. */
static void queue_jobs(struct td_bands *s, struct job_list *jobs)
{
    for (size_t i = 0; i < jobs->count; i++)
        if (jobs->jobs[i].entry->taken || add_job(&s->queue, &jobs->jobs[i]) < 0)
            release_job(&jobs->jobs[i]);
    jobs->count = 0;
}

void td_bands_end_frame(struct td_bands *s)
{
    pthread_mutex_lock(&s->lock);
    release_jobs(&s->queue, s->next);
    s->next = 0;
    queue_jobs(s, &s->wanted);
    queue_jobs(s, &s->later);
    if (s->bytes > MAX_BYTES) {
        uint64_t last = middle_frame(s);
        drop_entries(s, last < s->frame ? last : s->frame - 1);
    }
    if (s->queue.count)
        pthread_cond_broadcast(&s->work);
    pthread_mutex_unlock(&s->lock);
}

bool td_bands_pending(struct td_bands *s)
{
    pthread_mutex_lock(&s->lock);
    bool pending = s->running || s->next < s->queue.count || s->done.count;
    pthread_mutex_unlock(&s->lock);
    return pending;
}

bool td_bands_arrived(struct td_bands *s)
{
    pthread_mutex_lock(&s->lock);
    bool arrived = s->done.count > 0;
    pthread_mutex_unlock(&s->lock);
    return arrived;
}

size_t td_bands_bytes(const struct td_bands *s)
{
    return s->bytes + td_band_source_bytes(s->source);
}
