#include "host/event/map.h"
#include "host/base/err.h"

#include <stdlib.h>

void td_map_finish(struct td_map *map)
{
    free(map->slots);
    *map = (struct td_map){0};
}

static struct td_map_slot *find_slot(struct td_map_slot *slots, size_t mask, uint64_t key)
{
    size_t i = (size_t)td_mix64(key) & mask;
    while (slots[i].used && slots[i].key != key)
        i = (i + 1) & mask;
    return &slots[i];
}

uint32_t td_map_get(const struct td_map *map, uint64_t key, uint32_t missing)
{
    if (!map->slots)
        return missing;
    const struct td_map_slot *slot = find_slot(map->slots, map->mask, key);
    return slot->used ? slot->value : missing;
}

static int enlarge_map(struct td_map *map)
{
    size_t size = map->slots ? (map->mask + 1) * 2 : 16;
    struct td_map_slot *slots = calloc(size, sizeof *slots);
    if (!slots)
        return TD_E_NOMEM;
    for (size_t i = 0; map->slots && i <= map->mask; i++) {
        if (map->slots[i].used)
            *find_slot(slots, size - 1, map->slots[i].key) = map->slots[i];
    }
    free(map->slots);
    map->slots = slots;
    map->mask = size - 1;
    return 0;
}

uint64_t td_map_growth(const struct td_map *map)
{
    uint64_t size = map->slots ? map->mask + 1 : 0;
    return map->count * 5 >= size * 3 ? 2 * size * sizeof *map->slots : 0;
}

int td_map_add(struct td_map *map, uint64_t key, uint32_t value)
{
    if ((!map->slots || map->count * 4 >= (map->mask + 1) * 3) && enlarge_map(map) < 0)
        return TD_E_NOMEM;
    struct td_map_slot *slot = find_slot(map->slots, map->mask, key);
    if (slot->used)
        return 0;
    *slot = (struct td_map_slot){key, value, 1};
    map->count++;
    return 1;
}

int td_map_set(struct td_map *map, uint64_t key, uint32_t value)
{
    int added = td_map_add(map, key, value);
    if (added == 0)
        find_slot(map->slots, map->mask, key)->value = value;
    return added < 0 ? added : 0;
}

int td_map_remove(struct td_map *map, uint64_t key)
{
    struct td_map_slot *slots = map->slots;
    if (!slots)
        return 0;
    size_t hole = (size_t)(find_slot(slots, map->mask, key) - slots), at = hole;
    if (!slots[hole].used)
        return 0;
    /* Keys after the hole move into it, unless their search begins after it. */
    while (slots[at = (at + 1) & map->mask].used) {
        size_t home = (size_t)td_mix64(slots[at].key) & map->mask;
        if (((at - home) & map->mask) < ((at - hole) & map->mask))
            continue;
        slots[hole] = slots[at];
        hole = at;
    }
    slots[hole].used = 0;
    map->count--;
    return 1;
}
