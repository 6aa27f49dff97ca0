/* Numbered items of one size, equal ones under one number. Items never move.
 *
 * Threads: one thread adds; any thread may read meanwhile, with td_pool_count(), td_pool_at() and
 * td_interner_get(). */
#ifndef TD_HOST_EVENT_INTERNER_H
#define TD_HOST_EVENT_INTERNER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The items, in chunks of doubling size. So an item's number alone gives its place. */
#define TD_POOL_CHUNKS 26
struct td_pool {
    void *chunks[TD_POOL_CHUNKS]; /* set before `count` includes their items */
    uint32_t count;               /* atomic */
    size_t item;                  /* bytes */
};

/* A pool, and a hash table of item numbers + 1. Hidden items are not in the hash table. */
struct td_interner {
    struct td_pool pool;
    uint32_t *slots;
    uint32_t mask;
    uint64_t (*hash)(const void *item);
    bool (*is_same)(const void *a, const void *b);
    bool (*is_hidden)(const void *item); /* NULL: none is */
};

uint32_t td_pool_count(const struct td_pool *pool);
void *td_pool_at(const struct td_pool *pool, uint32_t number);
/* The number of a new item, a copy of *item. UINT32_MAX: no memory. */
uint32_t td_pool_add(struct td_pool *pool, const void *item);

void td_interner_free(struct td_interner *in);
/* The number of an equal item. If there is none: UINT32_MAX, and *slot is the new item's place in the hash
 * table (NULL: no memory). */
uint32_t td_interner_find(struct td_interner *in, const void *key, uint32_t **slot);
/* Adds an item that td_interner_find() has not found. `slot` as it was returned. UINT32_MAX: no memory. */
uint32_t td_interner_add(struct td_interner *in, const void *item, uint32_t *slot);
/* Both. UINT32_MAX: no memory. */
uint32_t td_intern(struct td_interner *in, const void *item);
/* Fills the hash table again, after items have become hidden. */
void td_interner_rehash(struct td_interner *in);
/* NULL: there is no such item. */
const void *td_interner_get(const struct td_interner *in, uint32_t number);
#endif
