#include "host/trace/store.h"

#include "host/base/err.h"
#include "host/base/grow.h"
#include "host/trace/chunk_blocks.h"
#include "host/trace/spill.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define SLAB_LEAST  ((size_t)16 << 10)
#define SLAB_MOST   ((size_t)4 << 20)
#define SLAB_GROWTH 8u                  /* a slab is about 1/8 of the memory in use */
#define PART_BYTES  ((size_t)128 << 10) /* of a slab, whose pages are asked for at once */
#define PARTED_SLAB ((size_t)1 << 20)   /* the smallest slab with parts */
#define LARGE_BYTES ((size_t)256 << 10) /* allocations of at least this size have their own slab */
#define RAW_CLASSES 256u                /* sizes of raw buffers */
#define RAW_LINE    8u                  /* integers of a cache line */
#define RAW_SMALL   32u                 /* integers; sizes up to this are rounded to cache lines */

struct slab {
    struct slab *previous;
    unsigned char *bytes;
    size_t used; /* atomic; greater than `room` when the slab is full */
    size_t room;
    int in_file; /* 1: its memory belongs to the spill */
};

/* Memory that no reader finds any more, but that a reader may still use. */
struct retired_chunk {
    void *chunk;
    size_t bytes;
};
struct retired {
    struct retired_chunk *list;
    size_t count, capacity;
};

struct free_chunk {
    struct free_chunk *next; /* of the same size class */
};

_Static_assert(TD_CHUNK_MOST_BYTES / 8 <= 1024 && TD_CHUNK_CLASSES >= 40,
               "raw_class() is below 40 up to there");

struct td_store {
    struct slab *data; /* atomic: the slab for small allocations; changed under the lock */
    pthread_mutex_t lock;
    struct slab *large, *raw;
    struct slab *idle_raw;          /* raw slabs whose memory was returned to the system */
    int64_t *free_raw[RAW_CLASSES]; /* lists: a free buffer begins with the address of the next one */
    uint64_t raw_taken;
    uint64_t memory_limit, file_budget, memory_bytes;
    int may_exceed, recycles;
    struct free_chunk *free_chunks[RAW_CLASSES]; /* of sizes that are too large for `blocks` */
    struct td_chunk_blocks blocks;
    uint64_t chunk_bytes;      /* atomic */
    struct retired retired[2]; /* since the last turn, and before it */
    struct td_spill *spill;    /* atomic */
    char problem[320];
};

struct td_store *td_store_create(uint64_t memory_bytes)
{
    struct td_store *store = calloc(1, sizeof *store);
    if (!store)
        return NULL;
    pthread_mutex_init(&store->lock, NULL);
    /* Pages of the file that are in use need some of the memory. */
    store->file_budget = memory_bytes / 4;
    store->memory_limit = memory_bytes - store->file_budget;
    return store;
}

void td_store_may_exceed(struct td_store *store)
{
    store->may_exceed = 1;
}

static void free_slabs(struct slab *slab)
{
    while (slab) {
        struct slab *previous = slab->previous;
        if (!slab->in_file)
            munmap(slab->bytes, slab->room);
        free(slab);
        slab = previous;
    }
}

void td_store_destroy(struct td_store *store)
{
    if (!store)
        return;
    free_slabs(store->data);
    free_slabs(store->large);
    free_slabs(store->raw);
    free_slabs(store->idle_raw);
    free(store->retired[0].list);
    free(store->retired[1].list);
    td_chunk_blocks_free(&store->blocks);
    td_spill_destroy(store->spill);
    pthread_mutex_destroy(&store->lock);
    free(store);
}

static void out_of_memory(struct td_store *store)
{
    snprintf(store->problem, sizeof store->problem, "out of memory");
}

static void count_memory(struct td_store *store, int64_t change)
{
    store->memory_bytes += (uint64_t)change;
}

/* Slabs grow with the memory in use, so that a small model stays small. */
static size_t slab_size(const struct td_store *store, size_t least)
{
    size_t size = SLAB_LEAST;
    while (size < SLAB_MOST && size < store->memory_bytes / SLAB_GROWTH)
        size *= 2;
    size = size > least ? size : least;
    return (size + SLAB_LEAST - 1) & ~(SLAB_LEAST - 1);
}

/* Does not ask for large pages. Virtual machines give free ones back to their host, which then takes ten times
 * as long to provide one again as the page faults that it saves. */
static int take_memory(struct td_store *store, struct slab *slab, size_t size)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) {
        out_of_memory(store);
        return TD_E_NOMEM;
    }
    *slab = (struct slab){.bytes = at, .room = size};
    count_memory(store, (int64_t)size);
    return 0;
}

static int take_file(struct td_store *store, struct slab *slab, size_t least)
{
    size_t size = 0;
    struct td_spill *spill = store->spill;
    if (!spill) {
        spill = td_spill_create(store->file_budget, store->problem, sizeof store->problem);
        __atomic_store_n(&store->spill, spill, __ATOMIC_RELEASE);
    }
    void *at = spill ? td_spill_segment(spill, least, &size, store->problem, sizeof store->problem) : NULL;
    if (!at)
        return TD_E_IO;
    *slab = (struct slab){.bytes = at, .room = size, .in_file = 1};
    return 0;
}

/* A slab with room for `least` bytes: a raw one in memory, another one in memory or in the file. NULL: no
 * room. */
static struct slab *new_slab(struct td_store *store, size_t least, int is_raw, int is_large)
{
    struct slab *slab = malloc(sizeof *slab);
    if (!slab) {
        out_of_memory(store);
        return NULL;
    }
    size_t size = is_large ? (least + 4095) & ~(size_t)4095 : slab_size(store, least);
    int to_file = !is_raw && store->memory_limit && store->memory_bytes + size > store->memory_limit;
    int rc = to_file ? take_file(store, slab, least) : take_memory(store, slab, size);
    if (rc < 0 && to_file && store->may_exceed) {
        store->memory_limit = 0;
        rc = take_memory(store, slab, size);
    }
    if (rc == 0)
        return slab;
    free(slab);
    return NULL;
}

/* Asks for the pages of the part of a slab in which `end` is, at once: that takes less time than a page fault
 * for each. A part is small enough to stay in the processor's cache until it is used. Where the system cannot
 * do that, page faults follow. */
static void ask_for_pages(const struct slab *slab, size_t end)
{
#ifdef MADV_POPULATE_WRITE
    const size_t part = end & ~(PART_BYTES - 1);
    if (slab->room >= PARTED_SLAB && !slab->in_file && part < slab->room)
        madvise(slab->bytes + part, slab->room - part < PART_BYTES ? slab->room - part : PART_BYTES,
                MADV_POPULATE_WRITE);
#endif
}

static void *bump(struct slab *slab, size_t bytes)
{
    const size_t at = __atomic_fetch_add(&slab->used, bytes, __ATOMIC_RELAXED), end = at + bytes;
    if (at > slab->room || bytes > slab->room - at)
        return NULL;
    if (at / PART_BYTES != end / PART_BYTES)
        ask_for_pages(slab, end);
    return slab->bytes + at;
}

static void *alloc_large(struct td_store *store, size_t bytes)
{
    struct slab *slab = new_slab(store, bytes, 0, 1);
    if (!slab)
        return NULL;
    slab->previous = store->large;
    store->large = slab;
    return slab->bytes;
}

/* Called with the lock held. */
static void *alloc_slowly(struct td_store *store, size_t bytes)
{
    void *at = store->data ? bump(store->data, bytes) : NULL; /* another thread may have added a slab */
    if (at)
        return at;
    struct slab *slab = new_slab(store, bytes, 0, 0);
    if (!slab)
        return NULL;
    slab->previous = store->data;
    slab->used = bytes;
    at = slab->bytes;
    __atomic_store_n(&store->data, slab, __ATOMIC_RELEASE);
    return at;
}

void *td_store_alloc(struct td_store *store, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    bytes = (bytes + 7) & ~(size_t)7;
    struct slab *slab = __atomic_load_n(&store->data, __ATOMIC_ACQUIRE);
    void *at = slab && bytes < LARGE_BYTES ? bump(slab, bytes) : NULL;
    if (at)
        return at;
    pthread_mutex_lock(&store->lock);
    at = bytes < LARGE_BYTES ? alloc_slowly(store, bytes) : alloc_large(store, bytes);
    pthread_mutex_unlock(&store->lock);
    return at;
}

void *td_store_alloc_sparse(struct td_store *store, size_t bytes)
{
    if (!store->recycles || bytes < LARGE_BYTES)
        return td_store_alloc(store, bytes);
    struct slab *slab = malloc(sizeof *slab);
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!slab || at == MAP_FAILED) {
        free(slab);
        if (at != MAP_FAILED)
            munmap(at, bytes);
        return NULL;
    }
    pthread_mutex_lock(&store->lock);
    *slab = (struct slab){.previous = store->large, .bytes = at, .used = bytes, .room = bytes};
    store->large = slab;
    pthread_mutex_unlock(&store->lock);
    return at;
}

const char *td_store_problem(const struct td_store *store)
{
    return store->problem[0] ? store->problem : "out of memory";
}

/* The class of a raw buffer; rounds *integers up to the class's size. Small sizes are whole cache lines;
 * larger ones have four classes between one power of two and the next. */
static unsigned raw_class(size_t *integers)
{
    size_t n = *integers ? *integers : 1;
    if (n <= RAW_SMALL) {
        unsigned lines = (unsigned)(n + RAW_LINE - 1) / RAW_LINE;
        *integers = lines * RAW_LINE;
        return lines;
    }
    unsigned log2 = 63u - (unsigned)__builtin_clzll(n - 1);
    size_t step = (size_t)1 << (log2 - 2), steps = (n - 1) / step + 1; /* 5 to 8 */
    *integers = steps * step;
    return 4 * log2 + (unsigned)steps - 5;
}

static int64_t *raw_bump(struct td_store *store, size_t bytes)
{
    void *at = store->raw ? bump(store->raw, bytes) : NULL;
    if (at)
        return at;
    struct slab *slab = store->idle_raw;
    if (slab && slab->room >= bytes) {
        store->idle_raw = slab->previous;
        count_memory(store, (int64_t)slab->room);
    } else {
        slab = new_slab(store, bytes, 1, bytes > LARGE_BYTES);
    }
    if (!slab)
        return NULL;
    slab->previous = store->raw;
    store->raw = slab;
    return bump(slab, bytes);
}

int64_t *td_store_raw(struct td_store *store, size_t integers)
{
    if (integers > SIZE_MAX / 32)
        return NULL;
    unsigned class = raw_class(&integers);
    pthread_mutex_lock(&store->lock);
    int64_t *raw = store->free_raw[class];
    if (raw)
        store->free_raw[class] = (int64_t *)(uintptr_t)__atomic_load_n(raw, __ATOMIC_RELAXED);
    else
        raw = raw_bump(store, sizeof *raw * integers);
    store->raw_taken += raw != NULL;
    pthread_mutex_unlock(&store->lock);
    td_store_fence_();
    return raw;
}

void td_store_give_back(struct td_store *store, int64_t *raw, size_t integers)
{
    unsigned class = raw_class(&integers);
    pthread_mutex_lock(&store->lock);
    __atomic_store_n(raw, (int64_t)(uintptr_t)store->free_raw[class], __ATOMIC_RELAXED);
    store->free_raw[class] = raw;
    store->raw_taken--;
    pthread_mutex_unlock(&store->lock);
}

/* ---- chunks that can be given back ---- */

void td_store_recycle(struct td_store *store)
{
    store->recycles = 1;
}

static size_t round_chunk(size_t bytes, unsigned *class)
{
    size_t integers = (bytes + 7) / 8;
    *class = raw_class(&integers);
    return integers * 8;
}

/* Called with the lock held. */
static void *take_chunk(struct td_store *store, unsigned class, size_t bytes)
{
    void *at = td_chunk_take(&store->blocks, class, bytes);
    void *block = at ? NULL : alloc_slowly(store, TD_CHUNK_BLOCK_BYTES);
    if (block && td_chunk_blocks_add(&store->blocks, block) == 0)
        at = td_chunk_take(&store->blocks, class, bytes);
    return at;
}

void *td_store_alloc_chunk(struct td_store *store, size_t bytes)
{
    void *at = NULL;
    if (store->recycles && bytes < SIZE_MAX / 4) {
        unsigned class;
        bytes = round_chunk(bytes, &class);
        pthread_mutex_lock(&store->lock);
        at = bytes <= TD_CHUNK_MOST_BYTES ? take_chunk(store, class, bytes) : store->free_chunks[class];
        if (at && bytes > TD_CHUNK_MOST_BYTES)
            store->free_chunks[class] = ((const struct free_chunk *)at)->next;
        pthread_mutex_unlock(&store->lock);
    }
    at = at ? at : td_store_alloc(store, bytes);
    if (at)
        __atomic_fetch_add(&store->chunk_bytes, bytes, __ATOMIC_RELAXED);
    return at;
}

void td_store_retire(struct td_store *store, void *chunk, size_t bytes)
{
    struct retired *now = &store->retired[0];
    if (!store->recycles || !chunk)
        return;
    /* Without memory for the list, the chunk is lost until the store is destroyed. */
    if (td_grow(&now->list, &now->capacity, now->count + 1, sizeof(struct retired_chunk)) < 0)
        return;
    now->list[now->count++] = (struct retired_chunk){chunk, bytes};
}

void td_store_turn(struct td_store *store)
{
    struct retired old = store->retired[1];
    pthread_mutex_lock(&store->lock);
    for (size_t i = 0; i < old.count; i++) {
        unsigned class;
        size_t bytes = round_chunk(old.list[i].bytes, &class);
        struct free_chunk *chunk = old.list[i].chunk;
        if (!td_chunk_give_back(&store->blocks, chunk)) {
            chunk->next = store->free_chunks[class];
            store->free_chunks[class] = chunk;
        }
        __atomic_fetch_sub(&store->chunk_bytes, bytes, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&store->lock);
    old.count = 0;
    store->retired[1] = store->retired[0];
    store->retired[0] = old;
}

uint64_t td_store_chunk_bytes(const struct td_store *store)
{
    return __atomic_load_n(&store->chunk_bytes, __ATOMIC_RELAXED);
}

/* Returns raw memory to the system but keeps it mapped, for readers that still look into it. */
static void trim_raw(struct td_store *store)
{
    for (unsigned i = 0; i < RAW_CLASSES; i++)
        store->free_raw[i] = NULL;
    while (store->raw) {
        struct slab *slab = store->raw;
        madvise(slab->bytes, slab->room, MADV_DONTNEED);
        slab->used = 0;
        store->raw = slab->previous;
        slab->previous = store->idle_raw;
        store->idle_raw = slab;
        count_memory(store, -(int64_t)slab->room);
    }
}

void td_store_trim(struct td_store *store)
{
    pthread_mutex_lock(&store->lock);
    if (!store->raw_taken)
        trim_raw(store);
    struct td_spill *spill = store->spill;
    pthread_mutex_unlock(&store->lock);
    td_spill_trim(spill);
}

void td_store_touch_(struct td_store *store, size_t bytes)
{
    struct td_spill *spill = __atomic_load_n(&store->spill, __ATOMIC_ACQUIRE);
    if (spill)
        td_spill_touch(spill, bytes);
}

void td_store_usage(const struct td_store *store, uint64_t *memory_bytes, uint64_t *file_bytes)
{
    struct td_store *s = (struct td_store *)(uintptr_t)store;
    pthread_mutex_lock(&s->lock);
    *memory_bytes = s->memory_bytes;
    *file_bytes = td_spill_bytes(s->spill);
    pthread_mutex_unlock(&s->lock);
}
