/* Packed chunks of a store: made in memory, moved to the file. */
#include "host/base/thread.h"
#include "host/trace/store_internal.h"

#include <stdio.h>

#define BUDGET_PART 1u /* times `kept_bytes`: what may be resident of the file */

/* Moves the oldest full slab to the file, without the lock, which the caller holds. 1: moved; 0: there is none;
 * TD_E_IO. */
static int move_slab(struct td_store *store)
{
    struct td_spill *spill = store->packed.first ? td_store_spill_(store) : NULL;
    struct td_packed_slab *slab = spill ? td_packed_next(&store->packed) : NULL;
    char problem[sizeof store->problem] = "";
    if (!slab)
        return store->packed.first && !spill ? td_store_fail_file_(store) : 0;
    pthread_mutex_unlock(&store->lock);
    const int rc = td_packed_move(slab, spill, problem, sizeof problem);
    pthread_mutex_lock(&store->lock);
    if (rc == 0) {
        td_store_count_memory_(store, -(int64_t)slab->room);
        return 1;
    }
    td_packed_return(&store->packed, slab);
    snprintf(store->problem, sizeof store->problem, "%s", problem);
    return td_store_fail_file_(store);
}

static void *move_early(void *self)
{
    struct td_store *store = self;
    pthread_mutex_lock(&store->lock);
    while (!store->stop) {
        store->is_moving = !store->held && !store->file_failed && td_store_is_for_file_(store, 0);
        const bool has_moved = store->is_moving && move_slab(store) > 0;
        store->is_moving = false;
        if (store->held)
            pthread_cond_broadcast(&store->wake);
        if (!has_moved && !store->stop)
            pthread_cond_wait(&store->wake, &store->lock);
    }
    pthread_mutex_unlock(&store->lock);
    return NULL;
}

void td_store_hold_packed(struct td_store *store)
{
    pthread_mutex_lock(&store->lock);
    store->held = true;
    while (store->is_moving)
        pthread_cond_wait(&store->wake, &store->lock);
    pthread_mutex_unlock(&store->lock);
}

void td_store_release_packed(struct td_store *store)
{
    pthread_mutex_lock(&store->lock);
    store->held = false;
    pthread_cond_broadcast(&store->wake);
    pthread_mutex_unlock(&store->lock);
}

/* Whoever adds a slab moves another one first: the thread is not there, too slow, or must not. */
static bool must_move(const struct td_store *store, size_t size)
{
    return store->held ? td_store_is_for_file_(store, size)
                       : store->memory_limit && store->memory_bytes + size > store->memory_limit;
}

/* Called with the lock held, which it releases meanwhile. */
static int add_packed_slab(struct td_store *store, size_t bytes)
{
    const size_t size = td_store_slab_size_(store, bytes);
    const struct td_packed_slab *current = store->packed.current;
    int rc = 1;
    while (rc > 0 && must_move(store, size))
        rc = move_slab(store);
    if (store->packed.current != current)
        return 0; /* another thread has added one */
    if (rc < 0 && !store->may_exceed)
        return rc;
    if (rc < 0)
        store->memory_limit = 0;
    if (td_packed_add(&store->packed, size) < 0) {
        td_store_out_of_memory_(store);
        return TD_E_NOMEM;
    }
    td_store_count_memory_(store, (int64_t)size);
    if (store->has_mover && td_store_is_for_file_(store, 0))
        pthread_cond_broadcast(&store->wake);
    return 0;
}

void *td_store_take_packed(struct td_store *store, size_t bytes, struct td_packed_slab **slab)
{
    *slab = NULL;
    if (store->recycles)
        return td_store_alloc_chunk(store, bytes);
    bytes = (bytes + 7) & ~(size_t)7;
    void *at = td_packed_take(&store->packed, bytes, slab);
    if (!at) {
        int rc = 0;
        pthread_mutex_lock(&store->lock);
        while (rc == 0 && !(at = td_packed_take(&store->packed, bytes, slab)))
            rc = add_packed_slab(store, bytes);
        pthread_mutex_unlock(&store->lock);
    }
    if (at)
        __atomic_fetch_add(&store->chunk_bytes, bytes, __ATOMIC_RELAXED);
    return at;
}

void td_store_set_folder(struct td_store *store, const char *folder)
{
    store->folder = folder;
}

void td_store_spill_early(struct td_store *store, uint64_t kept_bytes)
{
    store->kept_bytes = kept_bytes;
    store->file_budget = kept_bytes * BUDGET_PART;
    /* Without the thread, who adds a chunk beyond the limit moves others. */
    store->has_mover = td_thread_create_small(&store->mover, move_early, store) == 0;
}

bool td_store_spills_early(const struct td_store *store)
{
    return store->kept_bytes != 0;
}

bool td_store_file_failed(const struct td_store *store)
{
    return __atomic_load_n(&store->file_failed, __ATOMIC_ACQUIRE);
}
