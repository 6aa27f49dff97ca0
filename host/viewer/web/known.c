#include "host/viewer/web/known.h"

#define LEAST_SLOTS 256

static uint32_t hash_value(const int32_t v[4])
{
    uint32_t hash = 0;
    for (int i = 0; i < 4; i++) {
        hash = (hash ^ (uint32_t)v[i]) * 0x9e3779b1u;
        hash ^= hash >> 15;
    }
    return hash;
}

/* Where the value is, or would be. */
static uint32_t *find_slot(const struct td_known *k, const int32_t value[4])
{
    size_t at = hash_value(value) & (k->slot_count - 1);
    while (k->slots[at] && memcmp(k->values[k->slots[at] - 1], value, sizeof *k->values) != 0)
        at = (at + 1) & (k->slot_count - 1);
    return &k->slots[at];
}

static int grow_slots(struct td_known *k)
{
    const size_t count = k->slot_count ? k->slot_count * 2 : LEAST_SLOTS;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return TD_E_NOMEM;
    free(k->slots);
    k->slots = slots;
    k->slot_count = count;
    for (size_t i = 0; i < k->count; i++)
        *find_slot(k, k->values[i]) = (uint32_t)i + 1;
    return 0;
}

uint32_t td_known_number(struct td_known *k, const int32_t value[4])
{
    if (k->count * 2 >= k->slot_count && grow_slots(k) < 0)
        return UINT32_MAX;
    uint32_t *slot = find_slot(k, value);
    if (*slot)
        return *slot - 1;
    if (td_grow(&k->values, &k->room, k->count + 1, sizeof *k->values) < 0)
        return UINT32_MAX;
    memcpy(k->values[k->count++], value, sizeof *k->values);
    *slot = (uint32_t)k->count;
    return *slot - 1;
}

void td_known_clear(struct td_known *k)
{
    k->count = 0;
    if (k->slots)
        memset(k->slots, 0, k->slot_count * sizeof *k->slots);
}

void td_known_free(struct td_known *k)
{
    free(k->values);
    free(k->slots);
    *k = (struct td_known){0};
}
