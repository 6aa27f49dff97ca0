#include "host/event/interner.h"
#include "host/base/err.h"

#include <stdlib.h>
#include <string.h>

/* Chunk k holds 1 << (k + FIRST_SHIFT) items. */
#define FIRST_SHIFT 6

#define HASH_BITS  0x7fffffffu
#define SLOTS_MOST (UINT32_C(1) << 18) /* of a table from which items are dropped; a power of two */
#define SLOTS_KEPT (SLOTS_MOST / 3)    /* of these items, the last ones */

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

/* Zeroed. *taken: it is from `memory`. */
static void *take_part(const struct td_interner_memory *memory, size_t bytes, bool *taken)
{
    *taken = memory && bytes >= TD_INTERNER_LARGE;
    return *taken ? memory->take(memory->self, bytes) : calloc(1, bytes);
}

/* The zeroed place of item number pool->count, which the caller adds to the count. NULL: no memory. */
static void *next_place(struct td_pool *pool)
{
    if (pool->count >= UINT32_MAX - (1u << FIRST_SHIFT))
        return NULL;
    uint32_t biased = (pool->count >> FIRST_SHIFT) + 1;
    unsigned k = 31u - (unsigned)__builtin_clz(biased);
    if (!pool->chunks[k]) {
        bool taken;
        pool->chunks[k] = take_part(pool->memory, pool->item << (k + FIRST_SHIFT), &taken);
        if (!pool->chunks[k])
            return NULL;
        pool->taken |= (uint32_t)taken << k;
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
        if (!(in->pool.taken >> k & 1))
            free(in->pool.chunks[k]);
    free(in->slots);
}

static void put_slot(struct td_interner_slot *slots, uint32_t mask, struct td_interner_slot slot)
{
    uint32_t i = slot.hash & mask;
    while (slots[i].number)
        i = (i + 1) & mask;
    slots[i] = slot;
}

/* Whether the item stays in the table when others are dropped: where there are no others, in any case. */
static bool stays(const struct td_interner *in, struct td_interner_slot slot)
{
    return !slot.drops || in->pool.count - (slot.number - 1) <= SLOTS_KEPT;
}

/* Replaces the hash table by another one, of `size` slots, with the items that stay. */
static int renew_slots(struct td_interner *in, uint32_t size, bool drops)
{
    struct td_interner_slot *slots = size ? calloc(size, sizeof *slots) : NULL;
    if (!slots)
        return TD_E_NOMEM;
    const uint64_t before = in->slots ? (uint64_t)in->mask + 1 : 0;
    in->used = 0;
    for (uint64_t i = 0; i < before; i++) {
        if (!in->slots[i].number || (drops && !stays(in, in->slots[i])))
            continue;
        put_slot(slots, size - 1, in->slots[i]);
        in->used++;
    }
    free(in->slots);
    in->slots = slots;
    in->mask = size - 1;
    return 0;
}

static bool is_full(const struct td_interner *in)
{
    return !in->slots || (uint64_t)in->used * 3 >= (uint64_t)in->mask * 2;
}

static int make_slot(struct td_interner *in)
{
    const uint32_t size = in->slots ? in->mask + 1 : 32;
    int rc = 0;
    if (is_full(in) && in->pool.memory && size >= SLOTS_MOST)
        rc = renew_slots(in, size, true);
    return rc == 0 && is_full(in) ? renew_slots(in, size * 2, false) : rc;
}

void td_interner_rehash(struct td_interner *in)
{
    if (!in->slots)
        return;
    memset(in->slots, 0, ((size_t)in->mask + 1) * sizeof *in->slots);
    in->used = 0;
    for (uint32_t n = 0; n < in->pool.count; n++) {
        const void *item = td_pool_at(&in->pool, n);
        if (in->is_hidden && in->is_hidden(item))
            continue;
        put_slot(in->slots, in->mask,
                 (struct td_interner_slot){.number = n + 1, .hash = HASH_BITS & (uint32_t)in->hash(item)});
        in->used++;
    }
}

uint32_t td_interner_find(struct td_interner *in, const void *key, struct td_interner_slot **slot)
{
    *slot = NULL;
    if (is_full(in) && make_slot(in) < 0)
        return UINT32_MAX;
    const uint32_t hash = HASH_BITS & (uint32_t)in->hash(key);
    uint32_t i = hash & in->mask;
    for (; in->slots[i].number; i = (i + 1) & in->mask) {
        if (in->slots[i].hash == hash && in->is_same(td_pool_at(&in->pool, in->slots[i].number - 1), key))
            break;
    }
    *slot = &in->slots[i];
    if (!in->slots[i].number)
        in->slots[i] = (struct td_interner_slot){.hash = hash};
    return in->slots[i].number ? in->slots[i].number - 1 : UINT32_MAX;
}

uint32_t td_interner_add(struct td_interner *in, const void *item, struct td_interner_slot *slot)
{
    uint32_t number = slot ? td_pool_add(&in->pool, item) : UINT32_MAX;
    if (number != UINT32_MAX)
        td_interner_set_slot_(in, slot, number);
    return number;
}

uint32_t td_intern(struct td_interner *in, const void *item)
{
    struct td_interner_slot *slot;
    uint32_t number = td_interner_find(in, item, &slot);
    return number != UINT32_MAX ? number : td_interner_add(in, item, slot);
}

const void *td_interner_get(const struct td_interner *in, uint32_t number)
{
    return number < td_pool_count(&in->pool) ? td_pool_at(&in->pool, number) : NULL;
}
