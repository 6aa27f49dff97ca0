/* Numbered items of one size, equal ones under one number. Items never move.
 *
 * Threads: one thread adds; any thread may read meanwhile, with td_pool_count(), td_pool_at() and
 * td_interner_get(). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory for large parts (TD_INTERNER_LARGE bytes and more) that lives longer than the items: zeroed, aligned to
 * 8 bytes. NULL: none is left. A part without it is from malloc(). */
struct td_interner_memory {
    void *(*take)(void *self, size_t bytes);
    void *self;
};
#define TD_INTERNER_LARGE ((size_t)64 << 10)

/* The items, in chunks of doubling size. So an item's number alone gives its place. */
#define TD_POOL_CHUNKS 26
struct td_pool {
    void *chunks[TD_POOL_CHUNKS];            /* set before `count` includes their items */
    uint32_t count;                          /* atomic */
    size_t item;                             /* bytes */
    const struct td_interner_memory *memory; /* NULL: all parts are from malloc() */
    uint32_t taken;                          /* bits of the chunks that are from `memory` */
};

struct td_interner_slot {
    uint32_t number;    /* of the item, + 1; 0: none */
    uint32_t hash : 31; /* its low bits */
    uint32_t drops : 1; /* the item may be dropped from the table; set by the caller */
};

/* A pool, and a hash table of its items. Hidden items are not in the hash table. */
struct td_interner {
    struct td_pool pool;
    struct td_interner_slot *slots;
    uint32_t mask;
    uint32_t used; /* slots */
    uint64_t (*hash)(const void *item);
    bool (*is_same)(const void *a, const void *b);
    bool (*is_hidden)(const void *item); /* NULL: none is */
};

uint32_t td_pool_count(const struct td_pool *pool);
void *td_pool_at(const struct td_pool *pool, uint32_t number);
/* The number of a new item, a copy of *item. UINT32_MAX: no memory. */
uint32_t td_pool_add(struct td_pool *pool, const void *item);

void td_interner_free(struct td_interner *in);
/* The number of an equal item; *slot is its place in the hash table. If there is none: UINT32_MAX, and *slot is the
 * new item's place, which has its hash already (NULL: no memory). With the pool's `memory`, the hash table grows only
 * for items that must not be dropped: of the others, those that were added last are found. */
uint32_t td_interner_find(struct td_interner *in, const void *key, struct td_interner_slot **slot);
/* Adds an item that td_interner_find() has not found. `slot` as it was returned. UINT32_MAX: no memory. */
uint32_t td_interner_add(struct td_interner *in, const void *item, struct td_interner_slot *slot);
static inline void td_interner_set_slot_(struct td_interner *in, struct td_interner_slot *slot,
                                         uint32_t number)
{
    slot->number = number + 1;
    in->used++;
}
/* Both. UINT32_MAX: no memory. */
uint32_t td_intern(struct td_interner *in, const void *item);
/* Fills the hash table again, after items have become hidden. */
void td_interner_rehash(struct td_interner *in);
/* NULL: there is no such item. */
const void *td_interner_get(const struct td_interner *in, uint32_t number);
