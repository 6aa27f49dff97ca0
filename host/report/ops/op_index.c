#include "host/report/ops/op_index.h"
#include "host/base/grow.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_key(const struct td_op_key *key)
{
    return td_mix64((uint64_t)key->device << 32 | key->run_id) ^ td_mix64(td_mix64(key->trace) + key->replay);
}

/* The operation's number; SIZE_MAX: it has none, and *hash is free in the map. */
static size_t find_key(const struct td_op_index *index, const struct td_op_key *key, uint64_t *hash)
{
    for (*hash = hash_key(key);; ++*hash) {
        const uint32_t at = td_map_get(&index->by_key, *hash, UINT32_MAX);
        if (at == UINT32_MAX)
            return SIZE_MAX;
        if (!memcmp(&index->keys[at], key, sizeof *key))
            return at;
    }
}

size_t td_op_index_find(const struct td_op_index *index, const struct td_op_key *key)
{
    uint64_t hash;
    return find_key(index, key, &hash);
}

size_t td_op_index_take(struct td_op_index *index, const struct td_op_key *key)
{
    uint64_t hash;
    const size_t at = find_key(index, key, &hash);
    if (at != SIZE_MAX)
        return at;
    if (td_grow(&index->keys, &index->room, index->count + 1, sizeof *index->keys) < 0 ||
        td_map_add(&index->by_key, hash, (uint32_t)index->count) < 0)
        return SIZE_MAX;
    index->keys[index->count] = *key;
    return index->count++;
}

void td_op_index_free(struct td_op_index *index)
{
    free(index->keys);
    td_map_finish(&index->by_key);
    *index = (struct td_op_index){0};
}
