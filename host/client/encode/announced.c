/* An open hash table, and a list in the order of adding. A peer may ask for any 64 bits, so whole keys are
 * compared. */
#include "host/client/encode/announced.h"
#include "host/client/platform/pool.h"

#include <string.h>

struct announced_slot {
    uint64_t key;
    uint32_t value, mark; /* mark: the kind + 1; 0: the slot is free */
};
struct told {
    uint64_t key;
    uint32_t mark;
};
struct td_announced {
    size_t room, count;
    struct told last;  /* looked up before the table: zones repeat */
    struct told *told; /* all keys in the order of adding; `room` / 2 places */
    struct announced_slot *slots;
};

static struct told told_of(enum td_announced_kind kind, uint64_t key)
{
    return (struct told){key, (uint32_t)kind + 1};
}

/* A text at address 0 is no text. */
static int is_none(const struct told *told)
{
    return !told->key && told->mark == TD_ANNOUNCED_TEXT + 1;
}

static struct announced_slot *find(const struct td_announced *announced, struct told told)
{
    uint64_t mixed = told.key << 4 ^ told.key >> 60 ^ told.mark;
    size_t i = (size_t)(mixed * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (announced->room - 1);
    while (announced->slots[i].mark &&
           (announced->slots[i].key != told.key || announced->slots[i].mark != told.mark))
        i = (i + 1) & (announced->room - 1);
    return &announced->slots[i];
}

/* Makes both tables, empty; 0: no memory. */
static int make_room(struct td_announced *announced, size_t room)
{
    announced->room = room;
    announced->slots = td_pool_alloc(room * sizeof *announced->slots);
    announced->told = td_pool_alloc(room / 2 * sizeof *announced->told);
    if (!announced->slots || !announced->told) {
        td_pool_free(announced->slots);
        td_pool_free(announced->told);
        return 0;
    }
    memset(announced->slots, 0, room * sizeof *announced->slots);
    return 1;
}

struct td_announced *td_announced_create(void)
{
    struct td_announced *announced = td_pool_alloc(sizeof *announced);
    if (!announced)
        return NULL;
    *announced = (struct td_announced){0};
    if (make_room(announced, 256))
        return announced;
    td_pool_free(announced);
    return NULL;
}

void td_announced_destroy(struct td_announced *announced)
{
    if (announced) {
        td_pool_free(announced->slots);
        td_pool_free(announced->told);
    }
    td_pool_free(announced);
}

static int grow(struct td_announced *announced)
{
    struct td_announced bigger = {.count = announced->count, .last = announced->last};
    if (!make_room(&bigger, announced->room * 2))
        return 0;
    for (size_t i = 0; i < announced->room; i++)
        if (announced->slots[i].mark)
            *find(&bigger, (struct told){announced->slots[i].key, announced->slots[i].mark}) =
                announced->slots[i];
    memcpy(bigger.told, announced->told, announced->count * sizeof *announced->told);
    td_pool_free(announced->slots);
    td_pool_free(announced->told);
    *announced = bigger;
    return 1;
}

void td_announced_add(struct td_announced *announced, enum td_announced_kind kind, uint64_t key)
{
    struct told told = told_of(kind, key);
    if ((key == announced->last.key && told.mark == announced->last.mark) || is_none(&told))
        return;
    struct announced_slot *slot = find(announced, told);
    if (!slot->mark) {
        if (announced->count * 2 >= announced->room) {
            if (!grow(announced))
                return;
            slot = find(announced, told);
        }
        *slot = (struct announced_slot){.key = key, .mark = told.mark};
        announced->told[announced->count++] = told;
    }
    announced->last = told;
}

uint32_t *td_announced_value(struct td_announced *announced, enum td_announced_kind kind, uint64_t key)
{
    struct announced_slot *slot = find(announced, told_of(kind, key));
    return slot->mark ? &slot->value : NULL;
}

int td_announced_has(const struct td_announced *announced, enum td_announced_kind kind, uint64_t key)
{
    return find(announced, told_of(kind, key))->mark != 0;
}

int td_announced_at(const struct td_announced *announced, size_t i, enum td_announced_kind *kind,
                    uint64_t *key)
{
    if (i >= announced->count)
        return 0;
    *kind = (enum td_announced_kind)(announced->told[i].mark - 1);
    *key = announced->told[i].key;
    return 1;
}
