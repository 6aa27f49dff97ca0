/* Map from 64-bit keys to 32-bit values: open addressing; its memory never shrinks. Not thread-safe. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct td_map_slot {
    uint64_t key;
    uint32_t value;
    uint32_t used;
};

struct td_map { /* all zero: an empty map */
    struct td_map_slot *slots;
    size_t mask; /* slots - 1 */
    size_t count;
};

void td_map_finish(struct td_map *map);
/* The value of `key`, or `missing`. */
uint32_t td_map_get(const struct td_map *map, uint64_t key, uint32_t missing);
/* Adds a key. 1: added; 0: the map had the key, whose value stays; TD_E_NOMEM. */
int td_map_add(struct td_map *map, uint64_t key, uint32_t value);
/* Adds a key or replaces its value: 0 or TD_E_NOMEM. */
int td_map_set(struct td_map *map, uint64_t key, uint32_t value);
/* Removes a key. 1: it was there, 0: it was not. */
int td_map_remove(struct td_map *map, uint64_t key);
/* If the map will grow soon: the additional bytes that it needs meanwhile; else 0. */
uint64_t td_map_growth(const struct td_map *map);

/* Mixes 64 bits so that every bit of the result depends on every bit of `x`. */
static inline uint64_t td_mix64(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 29;
    x *= UINT64_C(0xa0761d6478bd642f);
    return x ^ x >> 32;
}
