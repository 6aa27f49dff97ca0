/* Keys told to the peer: an open hash table; the lowest bits hold the kind. */
#include "host/client/client.h"

#include <string.h>

struct slot {
    uint64_t key;
    uint32_t value, reserved;
};
struct td_known {
    size_t room, count;
    uint64_t last;  /* added last: zones repeat */
    uint64_t *told; /* all keys as they came; `room` / 2 places */
    struct slot *slots;
};

static uint64_t key_of(enum td_known_kind kind, uint64_t key)
{
    return key << 4 | (uint64_t)kind;
}

uint64_t td_known_hash(const void *data, size_t bytes)
{
    const uint8_t *at = data;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash >> 4 | 1; /* what fits beside the kind */
}

static struct slot *find(const struct td_known *known, uint64_t key)
{
    size_t i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (known->room - 1);
    while (known->slots[i].key && known->slots[i].key != key)
        i = (i + 1) & (known->room - 1);
    return &known->slots[i];
}

/* Both tables for so many keys; 0: no memory. */
static int make_room(struct td_known *known, size_t room)
{
    known->room = room;
    known->slots = td_pool_take(room * sizeof *known->slots);
    known->told = td_pool_take(room / 2 * sizeof *known->told);
    if (!known->slots || !known->told) {
        td_pool_give(known->slots);
        td_pool_give(known->told);
        return 0;
    }
    memset(known->slots, 0, room * sizeof *known->slots);
    return 1;
}

struct td_known *td_known_create(void)
{
    struct td_known *known = td_pool_take(sizeof *known);
    if (!known)
        return NULL;
    *known = (struct td_known){0};
    if (make_room(known, 256))
        return known;
    td_pool_give(known);
    return NULL;
}

void td_known_destroy(struct td_known *known)
{
    if (known) {
        td_pool_give(known->slots);
        td_pool_give(known->told);
    }
    td_pool_give(known);
}

static int grow(struct td_known *known)
{
    struct td_known bigger = {.count = known->count, .last = known->last};
    if (!make_room(&bigger, known->room * 2))
        return 0;
    for (size_t i = 0; i < known->room; i++)
        if (known->slots[i].key)
            *find(&bigger, known->slots[i].key) = known->slots[i];
    memcpy(bigger.told, known->told, known->count * sizeof *known->told);
    td_pool_give(known->slots);
    td_pool_give(known->told);
    *known = bigger;
    return 1;
}

void td_known_add(struct td_known *known, enum td_known_kind kind, uint64_t plain)
{
    uint64_t key = key_of(kind, plain);
    if (!key || key == known->last)
        return;
    struct slot *slot = find(known, key);
    if (!slot->key) {
        if (known->count * 2 >= known->room) {
            if (!grow(known))
                return;
            slot = find(known, key);
        }
        slot->key = key;
        known->told[known->count++] = key;
    }
    known->last = key;
}

int td_known_has(const struct td_known *known, enum td_known_kind kind, uint64_t plain)
{
    uint64_t key = key_of(kind, plain);
    return key && find(known, key)->key == key;
}

uint32_t *td_known_value(struct td_known *known, enum td_known_kind kind, uint64_t plain)
{
    uint64_t key = key_of(kind, plain);
    struct slot *slot = find(known, key);
    return key && slot->key == key ? &slot->value : NULL;
}

int td_known_at(const struct td_known *known, size_t i, enum td_known_kind *kind, uint64_t *key)
{
    if (i >= known->count)
        return 0;
    *kind = (enum td_known_kind)(known->told[i] & 15);
    *key = known->told[i] >> 4;
    return 1;
}
