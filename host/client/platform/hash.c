#include "host/client/platform/hash.h"

uint64_t td_client_hash(const void *data, size_t bytes)
{
    const uint8_t *at = data;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}
