/* Keys told to the peer: an open hash table. A peer may ask for any 64 bits, so keys are compared whole. */
#include "host/client/client.h"

#include <string.h>

struct slot {
    uint64_t key;
    uint32_t value, mark; /* mark: the kind + 1; 0: the slot is free */
};
struct told {
    uint64_t key;
    uint32_t mark;
};
struct td_known {
    size_t room, count;
    struct told last;  /* added last: zones repeat */
    struct told *told; /* all keys as they came; `room` / 2 places */
    struct slot *slots;
};

static struct told told_of(enum td_known_kind kind, uint64_t key)
{
    return (struct told){key, (uint32_t)kind + 1};
}

/* A text at address 0 is no text. */
static int is_none(const struct told *told)
{
    return !told->key && told->mark == TD_KNOWN_TEXT + 1;
}

uint64_t td_known_hash(const void *data, size_t bytes)
{
    const uint8_t *at = data;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static struct slot *find(const struct td_known *known, struct told told)
{
    uint64_t mixed = told.key << 4 ^ told.key >> 60 ^ told.mark;
    size_t i = (size_t)(mixed * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (known->room - 1);
    while (known->slots[i].mark && (known->slots[i].key != told.key || known->slots[i].mark != told.mark))
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
        if (known->slots[i].mark)
            *find(&bigger, (struct told){known->slots[i].key, known->slots[i].mark}) = known->slots[i];
    memcpy(bigger.told, known->told, known->count * sizeof *known->told);
    td_pool_give(known->slots);
    td_pool_give(known->told);
    *known = bigger;
    return 1;
}

void td_known_add(struct td_known *known, enum td_known_kind kind, uint64_t key)
{
    struct told told = told_of(kind, key);
    if ((key == known->last.key && told.mark == known->last.mark) || is_none(&told))
        return;
    struct slot *slot = find(known, told);
    if (!slot->mark) {
        if (known->count * 2 >= known->room) {
            if (!grow(known))
                return;
            slot = find(known, told);
        }
        *slot = (struct slot){.key = key, .mark = told.mark};
        known->told[known->count++] = told;
    }
    known->last = told;
}

uint32_t *td_known_value(struct td_known *known, enum td_known_kind kind, uint64_t key)
{
    struct slot *slot = find(known, told_of(kind, key));
    return slot->mark ? &slot->value : NULL;
}

int td_known_has(const struct td_known *known, enum td_known_kind kind, uint64_t key)
{
    return find(known, told_of(kind, key))->mark != 0;
}

int td_known_at(const struct td_known *known, size_t i, enum td_known_kind *kind, uint64_t *key)
{
    if (i >= known->count)
        return 0;
    *kind = (enum td_known_kind)(known->told[i].mark - 1);
    *key = known->told[i].key;
    return 1;
}
