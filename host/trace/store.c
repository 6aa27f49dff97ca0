#include "host/trace/store_internal.h"

#include "host/base/grow.h"
#include "host/base/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define SLAB_LEAST  ((size_t)16 << 10)
#define SLAB_MOST   ((size_t)4 << 20)
#define SLAB_GROWTH 8u                  /* a slab is about 1/8 of the memory in use */
#define LARGE_BYTES ((size_t)256 << 10) /* allocations of at least this size have their own slab */
#define RAW_LINE    8u                  /* integers of a cache line */
#define RAW_SMALL   32u                 /* integers; sizes up to this are rounded to cache lines */

_Static_assert(TD_CHUNK_MOST_BYTES / 8 <= 1024 && TD_CHUNK_CLASSES >= 40,
               "raw_class() is below 40 up to there");

struct td_store *td_store_create(uint64_t memory_bytes)
{
    struct td_store *store = calloc(1, sizeof *store);
    if (!store)
        return NULL;
    pthread_mutex_init(&store->lock, NULL);
    td_condition_init(&store->wake);
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

static void stop_mover(struct td_store *store)
{
    pthread_mutex_lock(&store->lock);
    store->stop = true;
    pthread_cond_broadcast(&store->wake);
    pthread_mutex_unlock(&store->lock);
    if (store->has_mover)
        pthread_join(store->mover, NULL);
}

void td_store_destroy(struct td_store *store)
{
    if (!store)
        return;
    stop_mover(store);
    td_packed_free(&store->packed);
    free_slabs(store->data);
    free_slabs(store->large);
    free_slabs(store->raw);
    free_slabs(store->idle_raw);
    free(store->retired[0].list);
    free(store->retired[1].list);
    td_chunk_blocks_free(&store->blocks);
    td_spill_destroy(store->spill);
    pthread_cond_destroy(&store->wake);
    pthread_mutex_destroy(&store->lock);
    free(store);
}

void td_store_out_of_memory_(struct td_store *store)
{
    snprintf(store->problem, sizeof store->problem, "out of memory");
}

void td_store_count_memory_(struct td_store *store, int64_t change)
{
    store->memory_bytes += (uint64_t)change;
}

size_t td_store_slab_size_(const struct td_store *store, size_t least)
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
        td_store_out_of_memory_(store);
        return TD_E_NOMEM;
    }
    *slab = (struct slab){.bytes = at, .room = size};
    td_store_count_memory_(store, (int64_t)size);
    return 0;
}

int td_store_fail_file_(struct td_store *store)
{
    __atomic_store_n(&store->file_failed, true, __ATOMIC_RELEASE);
    return TD_E_IO;
}

struct td_spill *td_store_spill_(struct td_store *store)
{
    if (!store->spill)
        __atomic_store_n(
            &store->spill,
            td_spill_create(store->file_budget, store->folder, store->problem, sizeof store->problem),
            __ATOMIC_RELEASE);
    return store->spill;
}

static int take_file(struct td_store *store, struct slab *slab, size_t least, int is_large)
{
    size_t size = is_large ? least : 0;
    struct td_spill *spill = td_store_spill_(store);
    void *at = spill ? td_spill_segment(spill, least, &size, store->problem, sizeof store->problem) : NULL;
    if (!at)
        return td_store_fail_file_(store);
    *slab = (struct slab){.bytes = at, .room = size, .in_file = 1};
    return 0;
}

bool td_store_is_for_file_(const struct td_store *store, size_t more)
{
    const uint64_t most = store->kept_bytes ? store->kept_bytes : store->memory_limit;
    return store->memory_limit && store->memory_bytes + more > most;
}

/* A slab with room for `least` bytes: a raw one in memory, another one in memory or in the file. NULL: no
 * room. */
static struct slab *new_slab(struct td_store *store, size_t least, int is_raw, int is_large)
{
    struct slab *slab = malloc(sizeof *slab);
    if (!slab) {
        td_store_out_of_memory_(store);
        return NULL;
    }
    size_t size = is_large ? (least + 4095) & ~(size_t)4095 : td_store_slab_size_(store, least);
    int to_file = !is_raw && td_store_is_for_file_(store, size);
    int rc = to_file ? take_file(store, slab, least, is_large) : take_memory(store, slab, size);
    if (rc < 0 && to_file && store->may_exceed) {
        store->memory_limit = 0;
        rc = take_memory(store, slab, size);
    }
    if (rc == 0)
        return slab;
    free(slab);
    return NULL;
}

static void *bump(struct slab *slab, size_t bytes)
{
    const size_t at = __atomic_fetch_add(&slab->used, bytes, __ATOMIC_RELAXED), end = at + bytes;
    if (at > slab->room || bytes > slab->room - at)
        return NULL;
    if (!slab->in_file && at / TD_SLAB_PART_BYTES_ != end / TD_SLAB_PART_BYTES_)
        td_slab_ask_for_pages_(slab->bytes, slab->room, end);
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
        td_store_count_memory_(store, (int64_t)slab->room);
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

bool td_store_recycles(const struct td_store *store)
{
    return store->recycles;
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
    for (unsigned i = 0; i < TD_RAW_CLASSES_; i++)
        store->free_raw[i] = NULL;
    while (store->raw) {
        struct slab *slab = store->raw;
        madvise(slab->bytes, slab->room, MADV_DONTNEED);
        slab->used = 0;
        store->raw = slab->previous;
        slab->previous = store->idle_raw;
        store->idle_raw = slab;
        td_store_count_memory_(store, -(int64_t)slab->room);
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

uint64_t td_store_resident_most(const struct td_store *store)
{
    const struct td_spill *spill = __atomic_load_n(&store->spill, __ATOMIC_ACQUIRE);
    const uint64_t bytes = td_spill_bytes(spill);
    return spill && !td_spill_is_in_memory(spill) && store->file_budget < bytes ? store->file_budget : bytes;
}

uint64_t td_store_disk_free(const struct td_store *store, const char **folder)
{
    const struct td_spill *spill = __atomic_load_n(&store->spill, __ATOMIC_ACQUIRE);
    if (!spill || td_spill_is_in_memory(spill))
        return UINT64_MAX;
    *folder = td_spill_folder(spill);
    return td_spill_free_bytes(spill);
}
