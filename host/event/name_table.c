#include "host/event/name_table.h"
#include "host/base/hash.h"

#include <stdlib.h>
#include <string.h>

struct name {
    const char *at;
    size_t bytes;
};

static uint64_t hash_name(const void *item)
{
    const struct name *name = item;
    return td_hash(name->at, name->bytes);
}

static bool is_same_name(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    return x->bytes == y->bytes && !memcmp(x->at, y->at, x->bytes);
}

static uint32_t find_name(struct td_name_table *table, const struct name *name,
                          struct td_interner_slot **slot)
{
    if (!table->names.hash)
        table->names =
            (struct td_interner){.pool = {.item = sizeof *name}, .hash = hash_name, .is_same = is_same_name};
    return td_interner_find(&table->names, name, slot);
}

uint32_t td_name_table_find(struct td_name_table *table, const char *name, size_t bytes)
{
    struct td_interner_slot *slot;
    return find_name(table, &(struct name){name, bytes}, &slot);
}

uint32_t td_name_table_number(struct td_name_table *table, const char *name, size_t bytes)
{
    struct td_interner_slot *slot;
    const uint32_t known = find_name(table, &(struct name){name, bytes}, &slot);
    if (known != UINT32_MAX || !slot)
        return known;
    char *copy = malloc(bytes + 1);
    if (!copy)
        return UINT32_MAX;
    memcpy(copy, name, bytes);
    copy[bytes] = 0;
    const uint32_t number = td_interner_add(&table->names, &(struct name){copy, bytes}, slot);
    if (number == UINT32_MAX)
        free(copy);
    return number;
}

const char *td_name_table_at(const struct td_name_table *table, uint32_t number)
{
    return ((const struct name *)td_pool_at(&table->names.pool, number))->at;
}

void td_name_table_free(struct td_name_table *table)
{
    for (uint32_t i = 0; i < table->names.pool.count; i++)
        free((char *)td_name_table_at(table, i));
    td_interner_free(&table->names);
    *table = (struct td_name_table){0};
}
