#include "host/event/interner.h"
#include "host/base/err.h"

#include <stdlib.h>
#include <string.h>

/* Chunk k holds 1 << (k + FIRST_SHIFT) items. */
#define FIRST_SHIFT 6

uint32_t td_pool_count(const struct td_pool *pool)
{
    return __atomic_load_n(&pool->count, __ATOMIC_ACQUIRE);
}

void *td_pool_at(const struct td_pool *pool, uint32_t number)
{
    uint32_t biased = (number >> FIRST_SHIFT) + 1;
    unsigned k = 31u - (unsigned)__builtin_clz(biased);
    uint32_t first = ((UINT32_C(1) << k) - 1) << FIRST_SHIFT;
    return (char *)pool->chunks[k] + (size_t)(number - first) * pool->item;
}

/* The zeroed place of item number pool->count, which the caller adds to the count. NULL: no memory. */
static void *next_place(struct td_pool *pool)
{
    if (pool->count >= UINT32_MAX - (1u << FIRST_SHIFT))
        return NULL;
    uint32_t biased = (pool->count >> FIRST_SHIFT) + 1;
    unsigned k = 31u - (unsigned)__builtin_clz(biased);
    if (!pool->chunks[k]) {
        pool->chunks[k] = calloc((size_t)1 << (k + FIRST_SHIFT), pool->item);
        if (!pool->chunks[k])
            return NULL;
    }
    return td_pool_at(pool, pool->count);
}

uint32_t td_pool_add(struct td_pool *pool, const void *item)
{
    void *place = next_place(pool);
    if (!place)
        return UINT32_MAX;
    memcpy(place, item, pool->item);
    uint32_t number = pool->count;
    __atomic_store_n(&pool->count, number + 1, __ATOMIC_RELEASE);
    return number;
}

void td_interner_free(struct td_interner *in)
{
    for (int k = 0; k < TD_POOL_CHUNKS; k++)
        free(in->pool.chunks[k]);
    free(in->slots);
}

static void fill_slots(const struct td_interner *in, uint32_t *slots, uint32_t mask)
{
    for (uint32_t n = 0; n < in->pool.count; n++) {
        const void *item = td_pool_at(&in->pool, n);
        if (in->is_hidden && in->is_hidden(item))
            continue;
        uint32_t i = (uint32_t)in->hash(item) & mask;
        while (slots[i])
            i = (i + 1) & mask;
        slots[i] = n + 1;
    }
}

static int enlarge(struct td_interner *in)
{
    uint32_t size = in->slots ? (in->mask + 1) * 2 : 64;
    uint32_t *slots = size ? calloc(size, sizeof *slots) : NULL;
    if (!slots)
        return TD_E_NOMEM;
    fill_slots(in, slots, size - 1);
    free(in->slots);
    in->slots = slots;
    in->mask = size - 1;
    return 0;
}

void td_interner_rehash(struct td_interner *in)
{
    if (!in->slots)
        return;
    memset(in->slots, 0, ((size_t)in->mask + 1) * sizeof *in->slots);
    fill_slots(in, in->slots, in->mask);
}

uint32_t td_interner_find(struct td_interner *in, const void *key, uint32_t **slot)
{
    *slot = NULL;
    if ((!in->slots || (uint64_t)in->pool.count * 3 >= (uint64_t)in->mask * 2) && enlarge(in) < 0)
        return UINT32_MAX;
    uint32_t i = (uint32_t)in->hash(key) & in->mask;
    for (; in->slots[i]; i = (i + 1) & in->mask) {
        if (in->is_same(td_pool_at(&in->pool, in->slots[i] - 1), key))
            return in->slots[i] - 1;
    }
    *slot = &in->slots[i];
    return UINT32_MAX;
}

uint32_t td_interner_add(struct td_interner *in, const void *item, uint32_t *slot)
{
    uint32_t number = slot ? td_pool_add(&in->pool, item) : UINT32_MAX;
    if (number != UINT32_MAX)
        *slot = number + 1;
    return number;
}

uint32_t td_intern(struct td_interner *in, const void *item)
{
    uint32_t *slot;
    uint32_t number = td_interner_find(in, item, &slot);
    return number != UINT32_MAX ? number : td_interner_add(in, item, slot);
}

const void *td_interner_get(const struct td_interner *in, uint32_t number)
{
    return number < td_pool_count(&in->pool) ? td_pool_at(&in->pool, number) : NULL;
}
