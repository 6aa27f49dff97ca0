/* A hash of bytes (FNV-1a) for hash tables. It does not resist keys that are chosen to collide. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define TD_HASH_BEGIN UINT64_C(0xcbf29ce484222325)

/* Hashes bytes that follow those of which `hash` is the hash; the first ones follow TD_HASH_BEGIN. */
static inline uint64_t td_hash_more(uint64_t hash, const void *data, size_t bytes)
{
    const uint8_t *at = (const uint8_t *)data;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static inline uint64_t td_hash(const void *data, size_t bytes)
{
    return td_hash_more(TD_HASH_BEGIN, data, bytes);
}
