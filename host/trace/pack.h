/* Packs a group of integers: each is kept as its difference to the group's least value, in `width` bytes (0
 * to 8, as few as the group needs), lowest byte first. Integers that rise, such as times, can be packed as
 * their differences to a line. Uses AVX-512 or AVX2 where the processor has it. There is no
 * shared state: any thread may call these functions. */
#pragma once
#include <stdint.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "narrow integers are the low bytes of whole ones");

/* Bytes after the last integer that may be read and written. */
#define TD_PACK_SLACK 7u

/* The least and the greatest of `count` (at least 1) values. */
void td_pack_span(const int64_t *values, unsigned count, int64_t *least, int64_t *most);
/* Bytes that differences of up to `span` need. */
static inline unsigned td_pack_width(uint64_t span)
{
    return span ? (71u - (unsigned)__builtin_clzll(span)) / 8 : 0;
}
/* Packs and unpacks `count` integers; `base` is the least value. */
void td_pack(uint8_t *to, const int64_t *from, unsigned count, int64_t base, unsigned width);
void td_pack_expand(int64_t *to, const uint8_t *from, unsigned count, int64_t base, unsigned width);

/* A line that begins at 0 and rises by the same step for each integer. A step is a multiple of 1 / 16, coded in
 * 12 bits: mantissa (8) and exponent (4). Code 0 is no line. */
#define TD_PACK_STEP_BITS 12u
#define TD_PACK_LINE_ROWS 256u /* integers of a group with a line, at most */
static inline uint64_t td_pack_line(unsigned code, unsigned index)
{
    return ((code & 255) << (code >> 8)) * index >> 4;
}
/* The code of the line that comes closest to rising by `rise` over `count` (at least 2) integers; 0: it cannot
 * be coded. */
unsigned td_pack_step(uint64_t rise, unsigned count);
/* Takes integers down to their differences to the line. */
void td_pack_lower(int64_t *to, const int64_t *from, unsigned count, unsigned code);
/* The opposite, for integers whose first one has the index `first`. */
void td_pack_raise(int64_t *values, unsigned first, unsigned count, unsigned code);

/* The index-th integer. */
static inline int64_t td_pack_get(const uint8_t *from, unsigned index, int64_t base, unsigned width)
{
    uint64_t value;
    if (!width)
        return base;
    memcpy(&value, from + (size_t)index * width, sizeof value);
    return (int64_t)((uint64_t)base + (value & (UINT64_MAX >> (64 - 8 * width))));
}
