/* The keys fall into buckets, 512 for each octave of their distance from the least key; the numbers of each bucket are
 * then sorted by the bits that the bucket leaves open. */
#include "host/viewer/analysis/order.h"
#include "host/base/grow.h"
#include "host/base/parallel.h"

#define STEPS_LOG2 9u
#define STEPS      (1u << STEPS_LOG2)
#define BUCKETS    ((65u - STEPS_LOG2) * STEPS)
#define SLICES     16u /* of the numbers: at most this many threads count and distribute them */
#define SLICE      4096u
#define FEW        32u /* sorted by insertion */
#define AHEAD      16u /* keys that are fetched before they are needed */
#define DIGIT_BITS 8u
#define DIGITS     (1u << DIGIT_BITS)

struct order_pair {
    uint64_t key;
    uint32_t number;
};

struct order_worker {
    struct order_pair *pairs; /* two arrays of `capacity` / 2 */
    size_t capacity;
};

struct order_work {
    const int64_t *key;
    uint32_t *order;
    size_t count, slice; /* numbers of a slice */
    unsigned slices;
    struct td_job *job;
    int64_t least[SLICES];
    uint64_t base;      /* the least key of all */
    uint32_t *places;   /* by slice and bucket: how many numbers, later where the next one goes */
    uint32_t *ends;     /* of each bucket in `order` */
    unsigned *unsorted; /* buckets with several keys */
    struct order_worker *workers;
};

static unsigned bucket_of(const struct order_work *w, size_t number)
{
    uint64_t v = (uint64_t)w->key[number] - w->base;
    unsigned octave = v < STEPS ? 0 : 64u - STEPS_LOG2 - (unsigned)__builtin_clzll(v);
    return octave << STEPS_LOG2 | ((unsigned)(v >> (octave ? octave - 1 : 0)) & (STEPS - 1));
}

static size_t slice_end(const struct order_work *w, size_t slice)
{
    size_t end = (slice + 1) * w->slice;
    return end < w->count ? end : w->count;
}

static int find_least(void *self, size_t slice, unsigned worker)
{
    struct order_work *w = self;
    (void)worker;
    int64_t least = INT64_MAX;
    for (size_t i = slice * w->slice, end = slice_end(w, slice); i < end; i++)
        least = w->key[i] < least ? w->key[i] : least;
    w->least[slice] = least;
    return 0;
}

static int count_slice(void *self, size_t slice, unsigned worker)
{
    struct order_work *w = self;
    (void)worker;
    uint32_t *counts = w->places + slice * BUCKETS;
    for (size_t i = slice * w->slice, end = slice_end(w, slice); i < end; i++)
        counts[bucket_of(w, i)]++;
    return w->job && td_job_cancelled(w->job) ? TD_E_STOPPED : 0;
}

static int place_slice(void *self, size_t slice, unsigned worker)
{
    struct order_work *w = self;
    (void)worker;
    uint32_t *places = w->places + slice * BUCKETS;
    for (size_t i = slice * w->slice, end = slice_end(w, slice); i < end; i++)
        w->order[places[bucket_of(w, i)]++] = (uint32_t)i;
    return w->job && td_job_cancelled(w->job) ? TD_E_STOPPED : 0;
}

/* Turns counts into places. Returns the number of buckets that have to be sorted. */
static size_t make_places(struct order_work *w)
{
    uint32_t at = 0;
    size_t unsorted = 0;
    for (unsigned b = 0; b < BUCKETS; b++) {
        uint32_t begin = at;
        for (unsigned s = 0; s < w->slices; s++) {
            uint32_t count = w->places[(size_t)s * BUCKETS + b];
            w->places[(size_t)s * BUCKETS + b] = at;
            at += count;
        }
        w->ends[b] = at;
        if (b >= 2 * STEPS && at - begin > 1) /* those below have one key */
            w->unsorted[unsorted++] = b;
    }
    return unsorted;
}

static void insert_few(const int64_t *key, uint32_t *order, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint32_t number = order[i], at = i;
        for (; at && key[order[at - 1]] > key[number]; at--)
            order[at] = order[at - 1];
        order[at] = number;
    }
}

/* Distributes the pairs by a digit of their keys; false: all have the same one. */
static bool sort_digit(const struct order_pair *from, struct order_pair *to, uint32_t count, unsigned shift)
{
    uint32_t places[DIGITS] = {0}, at = 0;
    for (uint32_t i = 0; i < count; i++)
        places[from[i].key >> shift & (DIGITS - 1)]++;
    for (unsigned d = 0; d < DIGITS; d++) {
        uint32_t here = places[d];
        if (here == count)
            return false;
        places[d] = at;
        at += here;
    }
    for (uint32_t i = 0; i < count; i++)
        to[places[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
    return true;
}

static int sort_bucket(void *self, size_t item, unsigned number)
{
    struct order_work *w = self;
    struct order_worker *worker = &w->workers[number];
    const unsigned bucket = w->unsorted[item], bits = (bucket >> STEPS_LOG2) - 1;
    const uint32_t begin = w->ends[bucket - 1], count = w->ends[bucket] - begin;
    uint32_t *order = w->order + begin;
    if (w->job && td_job_cancelled(w->job))
        return TD_E_STOPPED;
    if (count <= FEW) {
        insert_few(w->key, order, count);
        return 0;
    }
    if (td_grow(&worker->pairs, &worker->capacity, (size_t)count * 2, sizeof *worker->pairs) < 0)
        return TD_E_NOMEM;
    struct order_pair *from = worker->pairs, *to = worker->pairs + count;
    for (uint32_t i = 0; i < count; i++) {
        __builtin_prefetch(&w->key[order[i + AHEAD < count ? i + AHEAD : i]]);
        from[i] = (struct order_pair){(uint64_t)w->key[order[i]] - w->base, order[i]};
    }
    for (unsigned shift = 0; shift < bits; shift += DIGIT_BITS)
        if (sort_digit(from, to, count, shift)) {
            struct order_pair *other = from;
            from = to;
            to = other;
        }
    for (uint32_t i = 0; i < count; i++)
        order[i] = from[i].number;
    return 0;
}

static int sort_all(struct order_work *w)
{
    int64_t least = INT64_MAX;
    int rc = td_parallel(w->slices, w->slices, find_least, w);
    for (unsigned s = 0; s < w->slices; s++)
        least = w->least[s] < least ? w->least[s] : least;
    w->base = (uint64_t)least;
    if (rc == 0)
        rc = td_parallel(w->slices, w->slices, count_slice, w);
    size_t unsorted = rc == 0 ? make_places(w) : 0;
    if (rc == 0)
        rc = td_parallel(w->slices, w->slices, place_slice, w);
    return rc < 0 ? rc : td_parallel(w->slices, unsorted, sort_bucket, w);
}

int td_order_make(const int64_t *key, size_t count, uint32_t *order, struct td_job *job)
{
    struct order_work w = {.key = key, .order = order, .count = count, .job = job};
    size_t useful = 1 + count / SLICE;
    if (!count)
        return 0;
    if (count > UINT32_MAX)
        return TD_E_NOMEM;
    w.slices = td_parallel_threads(0);
    w.slices = w.slices > SLICES ? SLICES : w.slices;
    w.slices = w.slices > useful ? (unsigned)useful : w.slices;
    w.slice = (count + w.slices - 1) / w.slices;
    w.places = calloc((size_t)w.slices * BUCKETS, sizeof *w.places);
    w.ends = malloc(BUCKETS * sizeof *w.ends);
    w.unsorted = malloc(BUCKETS * sizeof *w.unsorted);
    w.workers = calloc(w.slices, sizeof *w.workers);
    int rc = w.places && w.ends && w.unsorted && w.workers ? 0 : TD_E_NOMEM;
    if (rc == 0)
        rc = sort_all(&w);
    for (unsigned i = 0; w.workers && i < w.slices; i++)
        free(w.workers[i].pairs);
    free(w.workers);
    free(w.unsorted);
    free(w.ends);
    free(w.places);
    return rc;
}
