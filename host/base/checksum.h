/* Checksum of bytes: XXH64 with seed 0, about 10 GB/s. It finds damage, not forgery. Thread-safe. */
#ifndef TD_HOST_BASE_CHECKSUM_H
#define TD_HOST_BASE_CHECKSUM_H
#include <stddef.h>
#include <stdint.h>

uint64_t td_checksum(const void *bytes, size_t count);
#endif
