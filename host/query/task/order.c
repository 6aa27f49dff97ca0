/* The keys fall into buckets, 512 for each octave of their distance from the least key; the numbers of each bucket are
 * then sorted by the bits that the bucket leaves open. */
#include "host/query/task/order.h"
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

#define PAIR_BITS 32u /* of the key, in the upper half of a pair; the lower half is the number */

struct order_worker {
    uint64_t *pairs; /* two arrays of `capacity` / 2 */
    size_t capacity;
};

struct order_work {
    struct td_order_keys keys;
    uint32_t *order;
    int64_t *sums;
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

static inline int64_t key_of(const struct order_work *w, size_t number)
{
    return w->keys.narrow ? w->keys.narrow[number] : w->keys.wide[number];
}

static inline void fetch_key(const struct order_work *w, size_t number)
{
    if (w->keys.narrow)
        __builtin_prefetch(&w->keys.narrow[number]);
    else
        __builtin_prefetch(&w->keys.wide[number]);
}

static inline unsigned bucket_of(const struct order_work *w, size_t number)
{
    uint64_t v = (uint64_t)key_of(w, number) - w->base;
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
        least = key_of(w, i) < least ? key_of(w, i) : least;
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
        if (at > begin && (w->sums || (b >= 2 * STEPS && at - begin > 1))) /* those below have one key */
            w->unsorted[unsorted++] = b;
    }
    return unsorted;
}

static void insert_few(uint64_t *pairs, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const uint64_t pair = pairs[i];
        uint32_t at = i;
        for (; at && pairs[at - 1] > pair; at--)
            pairs[at] = pairs[at - 1];
        pairs[at] = pair;
    }
}

/* Distributes the pairs by a digit of their keys; false: all have the same one. */
static bool sort_digit(const uint64_t *from, uint64_t *to, uint32_t count, unsigned shift)
{
    uint32_t places[DIGITS] = {0}, at = 0;
    for (uint32_t i = 0; i < count; i++)
        places[from[i] >> shift & (DIGITS - 1)]++;
    for (unsigned d = 0; d < DIGITS; d++) {
        uint32_t here = places[d];
        if (here == count)
            return false;
        places[d] = at;
        at += here;
    }
    for (uint32_t i = 0; i < count; i++)
        to[places[from[i] >> shift & (DIGITS - 1)]++] = from[i];
    return true;
}

/* Sorts by `bits` bits of the keys from `low` on, at most PAIR_BITS. Returns the sorted pairs. */
static const uint64_t *sort_bits(const struct order_work *w, uint64_t *pairs, uint32_t *order, uint32_t count,
                                 unsigned low, unsigned bits)
{
    uint64_t *from = pairs, *to = pairs + count;
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    for (uint32_t i = 0; i < count; i++) {
        fetch_key(w, order[i + AHEAD < count ? i + AHEAD : i]);
        from[i] = (((uint64_t)key_of(w, order[i]) - w->base) >> low & mask) << PAIR_BITS | order[i];
    }
    if (count <= FEW && !low)
        insert_few(from,
                   count); /* the numbers rise, so comparing whole pairs keeps the order of equal keys */
    for (unsigned shift = 0; (count > FEW || low) && shift < bits; shift += DIGIT_BITS)
        if (sort_digit(from, to, count, PAIR_BITS + shift)) {
            uint64_t *other = from;
            from = to;
            to = other;
        }
    for (uint32_t i = 0; i < count; i++)
        order[i] = (uint32_t)from[i];
    return from;
}

/* The least key of a bucket. */
static uint64_t first_key(const struct order_work *w, unsigned bucket)
{
    const unsigned octave = bucket >> STEPS_LOG2;
    return w->base + (octave ? (uint64_t)(STEPS | (bucket & (STEPS - 1))) << (octave - 1) : bucket);
}

/* Adds the keys of a sorted bucket to the sums of their blocks, which other threads add to as well. `pairs` have the
 * differences to the least key; NULL: there are none. */
static void add_sums(const struct order_work *w, uint32_t begin, uint32_t end, uint64_t least,
                     const uint64_t *pairs)
{
    for (uint32_t at = begin, stop; at < end; at = stop) {
        const uint32_t block = at / TD_ORDER_BLOCK, room = TD_ORDER_BLOCK - at % TD_ORDER_BLOCK;
        stop = end - at > room ? at + room : end;
        uint64_t sum = least * (stop - at);
        for (uint32_t i = at; pairs && i < stop; i++)
            sum += pairs[i - begin] >> PAIR_BITS;
        __atomic_fetch_add((uint64_t *)&w->sums[block], sum, __ATOMIC_RELAXED);
    }
}

/* The same for keys that pairs cannot hold. */
static void add_wide_sums(const struct order_work *w, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; i++)
        __atomic_fetch_add((uint64_t *)&w->sums[i / TD_ORDER_BLOCK], (uint64_t)key_of(w, w->order[i]),
                           __ATOMIC_RELAXED);
}

static int sort_bucket(void *self, size_t item, unsigned number)
{
    struct order_work *w = self;
    struct order_worker *worker = &w->workers[number];
    const unsigned bucket = w->unsorted[item], bits = bucket < 2 * STEPS ? 0 : (bucket >> STEPS_LOG2) - 1;
    const uint32_t begin = bucket ? w->ends[bucket - 1] : 0, count = w->ends[bucket] - begin;
    const uint64_t *pairs = NULL;
    if (w->job && td_job_cancelled(w->job))
        return TD_E_STOPPED;
    if (bits && td_grow(&worker->pairs, &worker->capacity, (size_t)count * 2, sizeof *worker->pairs) < 0)
        return TD_E_NOMEM;
    for (unsigned low = 0; low < bits; low += PAIR_BITS)
        pairs = sort_bits(w, worker->pairs, w->order + begin, count, low,
                          bits - low < PAIR_BITS ? bits - low : PAIR_BITS);
    if (w->sums && bits > PAIR_BITS)
        add_wide_sums(w, begin, begin + count);
    else if (w->sums)
        add_sums(w, begin, begin + count, first_key(w, bucket), pairs);
    return 0;
}

static int sort_all(struct order_work *w)
{
    int64_t least = INT64_MAX;
    int rc = td_parallel(w->slices, w->slices, find_least, w);
    for (unsigned s = 0; s < w->slices; s++)
        least = w->least[s] < least ? w->least[s] : least;
    w->base = (uint64_t)least;
    rc = rc ? rc : td_parallel(w->slices, w->slices, count_slice, w);
    size_t unsorted = rc == 0 ? make_places(w) : 0;
    rc = rc ? rc : td_parallel(w->slices, w->slices, place_slice, w);
    return rc < 0 ? rc : td_parallel(w->slices, unsorted, sort_bucket, w);
}

int td_order_make(struct td_order_keys keys, size_t count, uint32_t *order, int64_t *sums, struct td_job *job)
{
    struct order_work w = {.keys = keys, .order = order, .sums = sums, .count = count, .job = job};
    size_t useful = 1 + count / SLICE;
    if (!count)
        return 0;
    if (count > UINT32_MAX)
        return TD_E_NOMEM;
    if (sums)
        memset(sums, 0, (count + TD_ORDER_BLOCK - 1) / TD_ORDER_BLOCK * sizeof *sums);
    w.slices = td_parallel_threads(0);
    w.slices = w.slices > SLICES ? SLICES : w.slices;
    w.slices = w.slices > useful ? (unsigned)useful : w.slices;
    w.slice = (count + w.slices - 1) / w.slices;
    w.places = calloc((size_t)w.slices * BUCKETS, sizeof *w.places);
    w.ends = malloc(BUCKETS * sizeof *w.ends);
    w.unsorted = malloc(BUCKETS * sizeof *w.unsorted);
    w.workers = calloc(w.slices, sizeof *w.workers);
    int rc = w.places && w.ends && w.unsorted && w.workers ? 0 : TD_E_NOMEM;
    rc = rc ? rc : sort_all(&w);
    for (unsigned i = 0; w.workers && i < w.slices; i++)
        free(w.workers[i].pairs);
    free(w.workers);
    free(w.unsorted);
    free(w.ends);
    free(w.places);
    return rc;
}
