#include "host/trace/store.h"

#include <pthread.h>
#include <stdlib.h>

#define SLAB_BYTES (1u << 20)
#define RAW_SIZES  18u

struct slab {
    struct slab *previous;
    size_t used, room;
    _Alignas(16) unsigned char bytes[];
};

/* A raw buffer that is free holds the address of the next one. */
struct td_store {
    pthread_mutex_t lock;
    struct slab *slabs;
    int64_t *free_raw[RAW_SIZES];
    uint64_t memory_limit, memory_bytes;
};

struct td_store *td_store_create(uint64_t memory_bytes)
{
    struct td_store *store = calloc(1, sizeof *store);
    if (!store)
        return NULL;
    pthread_mutex_init(&store->lock, NULL);
    store->memory_limit = memory_bytes;
    return store;
}

void td_store_destroy(struct td_store *store)
{
    if (!store)
        return;
    while (store->slabs) {
        struct slab *slab = store->slabs;
        store->slabs = slab->previous;
        free(slab);
    }
    pthread_mutex_destroy(&store->lock);
    free(store);
}

static void *alloc_locked(struct td_store *store, size_t bytes)
{
    bytes = (bytes + 7) & ~(size_t)7;
    if (!store->slabs || store->slabs->room - store->slabs->used < bytes) {
        size_t room = bytes > SLAB_BYTES ? bytes : SLAB_BYTES;
        struct slab *slab = malloc(sizeof *slab + room);
        if (!slab)
            return NULL;
        slab->used = 0;
        slab->room = room;
        slab->previous = store->slabs;
        store->slabs = slab;
        store->memory_bytes += room;
    }
    void *at = store->slabs->bytes + store->slabs->used;
    store->slabs->used += bytes;
    return at;
}

void *td_store_alloc(struct td_store *store, size_t bytes)
{
    pthread_mutex_lock(&store->lock);
    void *at = alloc_locked(store, bytes);
    pthread_mutex_unlock(&store->lock);
    return at;
}

int64_t *td_store_raw(struct td_store *store, unsigned log2_integers)
{
    pthread_mutex_lock(&store->lock);
    int64_t *raw = store->free_raw[log2_integers];
    if (raw)
        store->free_raw[log2_integers] = (int64_t *)(uintptr_t)__atomic_load_n(raw, __ATOMIC_RELAXED);
    else
        raw = alloc_locked(store, sizeof(int64_t) << log2_integers);
    pthread_mutex_unlock(&store->lock);
    return raw;
}

void td_store_give_back(struct td_store *store, int64_t *raw, unsigned log2_integers)
{
    pthread_mutex_lock(&store->lock);
    __atomic_store_n(raw, (int64_t)(uintptr_t)store->free_raw[log2_integers], __ATOMIC_RELAXED);
    store->free_raw[log2_integers] = raw;
    pthread_mutex_unlock(&store->lock);
}

void td_store_usage(const struct td_store *store, uint64_t *memory_bytes, uint64_t *file_bytes)
{
    *memory_bytes = store->memory_bytes;
    *file_bytes = 0;
}
