/* A hash of bytes (FNV-1a) for hash tables. It does not resist keys that are chosen to collide. */
#ifndef TD_HOST_CLIENT_PLATFORM_HASH_H
#define TD_HOST_CLIENT_PLATFORM_HASH_H
#include <stddef.h>
#include <stdint.h>

uint64_t td_client_hash(const void *data, size_t bytes);
#endif
