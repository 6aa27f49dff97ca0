/* Parquet's encodings of numbers. */
#pragma once
#include "host/base/byte_buffer.h"

/* Bits that numbers up to `most` need. */
static inline unsigned parquet_width(uint64_t most)
{
    return most ? 64 - (unsigned)__builtin_clzll(most) : 0;
}
/* Runs of equal values, and groups of eight packed ones. `width`: 0 to 32 bits. */
void parquet_put_hybrid(struct td_byte_buffer *to, const uint32_t *values, size_t count, unsigned width);
/* Differences, packed in blocks. */
void parquet_put_delta(struct td_byte_buffer *to, const int64_t *values, size_t count);
