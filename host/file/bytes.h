/* Little-endian integers of 1 to 8 bytes in memory. Fast if `bytes` is a constant. */
#pragma once
#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t td_bytes_get(const uint8_t *from, unsigned bytes)
{
    uint64_t value = 0;
    memcpy(&value, from, bytes);
    return le64toh(value);
}
static inline void td_bytes_put(uint8_t *to, uint64_t value, unsigned bytes)
{
    value = htole64(value);
    memcpy(to, &value, bytes);
}
