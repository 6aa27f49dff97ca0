#include "host/tools/files/stock_order.h"
#include "host/base/err.h"

#include <stdlib.h>
#include <string.h>

/* Each place has an info byte: 0 if it is free; else the distance of its key from its own place, in units of
 * `step`, plus some bits of the key's hash below that. When distances no longer fit in the byte, the hash
 * gives up one bit at a time. */
#define FIRST_PLACES    8u
#define HASH_BITS       5u
#define FIRST_STEP      (1u << HASH_BITS)
#define BUFFER_MAX      255u /* places after the last one, for keys that were moved along */
#define ATTEMPTS        256
#define MULTIPLIER      UINT64_C(0xc4ceb9fe1a85ec53)
#define NEXT_MULTIPLIER UINT64_C(0xc4ceb9fe1a85ec54)

struct stock_table {
    const uint64_t *keys;
    size_t *index; /* of `keys`, by place */
    uint8_t *info;
    size_t places, mask, used, limit; /* places: with the buffer; limit 0: must grow at the next key */
    uint32_t step, shift;
    uint64_t multiplier;
};

static size_t limit_of(size_t places)
{
    return places * 80 / 100;
}

static int set_places(struct stock_table *t, size_t places)
{
    size_t buffer = limit_of(places) < BUFFER_MAX ? limit_of(places) : BUFFER_MAX;
    size_t *index = calloc(places + buffer, sizeof *index);
    uint8_t *info = calloc(places + buffer + 8, 1);
    if (!index || !info) {
        free(index);
        free(info);
        return TD_E_NOMEM;
    }
    info[places + buffer] = 1; /* stops every search */
    t->index = index;
    t->info = info;
    t->places = places + buffer;
    t->mask = places - 1;
    t->used = 0;
    t->limit = limit_of(places);
    t->step = FIRST_STEP;
    t->shift = 0;
    return 0;
}

static void find_place(const struct stock_table *t, uint64_t key, size_t *place, uint32_t *info)
{
    uint64_t h = key;
    h ^= h >> 33;
    h *= UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 33;
    h *= t->multiplier;
    h ^= h >> 33;
    *info = t->step + (uint32_t)((h & (FIRST_STEP - 1)) >> t->shift);
    *place = (size_t)(h >> HASH_BITS) & t->mask;
}

/* Puts an entry at `place`, and moves the entries from there to the next free place along. */
static void put_entry(struct stock_table *t, size_t place, uint32_t info, size_t index)
{
    size_t end = place;
    if (info + t->step > UINT8_MAX)
        t->limit = 0;
    while (t->info[end])
        end++;
    for (size_t i = end; i > place; i--) {
        t->index[i] = t->index[i - 1];
        t->info[i] = (uint8_t)(t->info[i - 1] + t->step);
        if (t->info[i] + t->step > UINT8_MAX)
            t->limit = 0;
    }
    t->index[place] = index;
    t->info[place] = (uint8_t)info;
    t->used++;
}

static int give_up_hash_bit(struct stock_table *t)
{
    if (t->step <= 2)
        return TD_E_LIMIT;
    t->step >>= 1;
    t->shift++;
    for (size_t i = 0; i < t->places; i++)
        t->info[i] = (t->info[i] >> 1) & 0x7f;
    t->limit = limit_of(t->mask + 1);
    return 0;
}

static int rehash_all(struct stock_table *t, size_t places)
{
    struct stock_table old = *t;
    if (set_places(t, places) < 0)
        return TD_E_NOMEM;
    for (size_t i = 0; i < old.places; i++) {
        size_t place;
        uint32_t info;
        if (!old.info[i])
            continue;
        if (t->limit == 0 && give_up_hash_bit(t) < 0)
            break; /* Tracy's programs abort here */
        find_place(t, t->keys[old.index[i]], &place, &info);
        while (info <= t->info[place]) {
            place++;
            info += t->step;
        }
        put_entry(t, place, info, old.index[i]);
    }
    free(old.index);
    free(old.info);
    return 0;
}

static int grow_table(struct stock_table *t)
{
    if (!t->mask)
        return set_places(t, FIRST_PLACES);
    size_t limit = limit_of(t->mask + 1);
    if (t->used < limit && give_up_hash_bit(t) == 0)
        return 0;
    if (t->used * 2 >= limit)
        return rehash_all(t, (t->mask + 1) * 2);
    t->multiplier += NEXT_MULTIPLIER;
    return rehash_all(t, t->mask + 1);
}

static int insert_key(struct stock_table *t, size_t index)
{
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (t->mask) {
            size_t place;
            uint32_t info;
            find_place(t, t->keys[index], &place, &info);
            for (; info < t->info[place]; place++)
                info += t->step;
            for (; info == t->info[place]; place++, info += t->step)
                if (t->keys[t->index[place]] == t->keys[index])
                    return 0;
            if (t->used < t->limit) {
                put_entry(t, place, info, index);
                return 0;
            }
        }
        if (grow_table(t) < 0)
            return TD_E_NOMEM;
    }
    return 0; /* not with keys that a file can hold; Tracy's programs abort here */
}

size_t stock_order(const uint64_t *keys, size_t count, size_t room, size_t *order)
{
    struct stock_table t = {.keys = keys, .multiplier = MULTIPLIER};
    size_t places = FIRST_PLACES, listed = 0;
    int rc = 0;
    while (limit_of(places) < room)
        places *= 2;
    if (room)
        rc = set_places(&t, places);
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = insert_key(&t, i);
    for (size_t i = 0; i < t.places && rc == 0; i++)
        if (t.info[i])
            order[listed++] = t.index[i];
    free(t.index);
    free(t.info);
    return rc < 0 ? SIZE_MAX : listed;
}
