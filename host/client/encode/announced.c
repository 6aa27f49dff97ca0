/* An open hash table, and a list in the order of adding. A peer may ask for any 64 bits, so whole keys are
 * compared. */
#include "host/client/encode/announced.h"
#include "host/base/err.h"
#include "host/client/platform/pool.h"

#include <stdbool.h>
#include <string.h>

struct announced_slot {
    uint64_t key;
    uint32_t value, mark; /* mark: the kind + 1; 0: the slot is free */
};
struct announced_key {
    uint64_t key;
    uint32_t mark;
};
#define RECENT 64

struct td_announced {
    size_t room, count;
    struct announced_key recent[RECENT]; /* looked up before the table, because zones repeat */
    struct announced_key *keys;          /* all keys in the order of adding; `room` / 2 places */
    struct announced_slot *slots;
};

static struct announced_key make_key(enum td_announced_kind kind, uint64_t key)
{
    return (struct announced_key){key, (uint32_t)kind + 1};
}

/* Source locations are 32 bytes or more apart. */
static struct announced_key *recent_place(struct td_announced *announced, uint64_t key)
{
    return &announced->recent[(key >> 5) % RECENT];
}

/* A text at address 0 is no text. */
static bool is_none(const struct announced_key *entry)
{
    return !entry->key && entry->mark == TD_ANNOUNCED_TEXT + 1;
}

static struct announced_slot *find_slot(const struct td_announced *announced, struct announced_key entry)
{
    uint64_t mixed = entry.key << 4 ^ entry.key >> 60 ^ entry.mark;
    size_t i = (size_t)(mixed * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (announced->room - 1);
    while (announced->slots[i].mark &&
           (announced->slots[i].key != entry.key || announced->slots[i].mark != entry.mark))
        i = (i + 1) & (announced->room - 1);
    return &announced->slots[i];
}

/* Makes both tables, empty. */
static int make_tables(struct td_announced *announced, size_t room)
{
    announced->room = room;
    announced->slots = td_pool_alloc(room * sizeof *announced->slots);
    announced->keys = td_pool_alloc(room / 2 * sizeof *announced->keys);
    if (!announced->slots || !announced->keys) {
        td_pool_free(announced->slots);
        td_pool_free(announced->keys);
        return TD_E_NOMEM;
    }
    memset(announced->slots, 0, room * sizeof *announced->slots);
    return 0;
}

struct td_announced *td_announced_create(void)
{
    struct td_announced *announced = td_pool_alloc(sizeof *announced);
    if (!announced)
        return NULL;
    *announced = (struct td_announced){0};
    if (make_tables(announced, 256) == 0)
        return announced;
    td_pool_free(announced);
    return NULL;
}

void td_announced_destroy(struct td_announced *announced)
{
    if (announced) {
        td_pool_free(announced->slots);
        td_pool_free(announced->keys);
    }
    td_pool_free(announced);
}

static int grow_tables(struct td_announced *announced)
{
    struct td_announced bigger = *announced;
    if (make_tables(&bigger, announced->room * 2) != 0)
        return TD_E_NOMEM;
    for (size_t i = 0; i < announced->room; i++)
        if (announced->slots[i].mark)
            *find_slot(&bigger, (struct announced_key){announced->slots[i].key, announced->slots[i].mark}) =
                announced->slots[i];
    memcpy(bigger.keys, announced->keys, announced->count * sizeof *announced->keys);
    td_pool_free(announced->slots);
    td_pool_free(announced->keys);
    *announced = bigger;
    return 0;
}

void td_announced_add(struct td_announced *announced, enum td_announced_kind kind, uint64_t key)
{
    struct announced_key entry = make_key(kind, key), *recent = recent_place(announced, key);
    if ((key == recent->key && entry.mark == recent->mark) || is_none(&entry))
        return;
    struct announced_slot *slot = find_slot(announced, entry);
    if (!slot->mark) {
        if (announced->count * 2 >= announced->room) {
            if (grow_tables(announced) != 0)
                return;
            slot = find_slot(announced, entry);
        }
        *slot = (struct announced_slot){.key = key, .mark = entry.mark};
        announced->keys[announced->count++] = entry;
    }
    *recent = entry;
}

uint32_t *td_announced_value(struct td_announced *announced, enum td_announced_kind kind, uint64_t key)
{
    struct announced_slot *slot = find_slot(announced, make_key(kind, key));
    return slot->mark ? &slot->value : NULL;
}

bool td_announced_has(const struct td_announced *announced, enum td_announced_kind kind, uint64_t key)
{
    return find_slot(announced, make_key(kind, key))->mark != 0;
}

bool td_announced_at(const struct td_announced *announced, size_t i, enum td_announced_kind *kind,
                     uint64_t *key)
{
    if (i >= announced->count)
        return 0;
    *kind = (enum td_announced_kind)(announced->keys[i].mark - 1);
    *key = announced->keys[i].key;
    return 1;
}
