#include "host/trace/pack.h"

#define EACH static inline __attribute__((always_inline))

static inline int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t greater(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Each half has accumulators of its own, so that a step need not wait for the one before it. */
EACH void span(const int64_t *values, unsigned count, int64_t *least, int64_t *most)
{
    const unsigned half = count / 2;
    const int64_t *const second = values + half;
    int64_t low = values[count - 1], high = low, second_low = low, second_high = low;
    for (unsigned i = 0; i < half; i++) {
        low = lesser(low, values[i]);
        high = greater(high, values[i]);
        second_low = lesser(second_low, second[i]);
        second_high = greater(second_high, second[i]);
    }
    *least = lesser(low, second_low);
    *most = greater(high, second_high);
}

/* Widths of 1, 2, 4 and 8 bytes: loops over an integer type, which compilers vectorise. */
#define TYPED(name, type)                                                                                    \
    EACH void pack_##name(uint8_t *restrict to, const int64_t *restrict from, unsigned count, uint64_t base) \
    {                                                                                                        \
        for (unsigned i = 0; i < count; i++) {                                                               \
            type value = (type)((uint64_t)from[i] - base);                                                   \
            memcpy(to + i * sizeof value, &value, sizeof value);                                             \
        }                                                                                                    \
    }                                                                                                        \
    EACH void unpack_##name(int64_t *restrict to, const uint8_t *restrict from, unsigned count,              \
                            uint64_t base)                                                                   \
    {                                                                                                        \
        for (unsigned i = 0; i < count; i++) {                                                               \
            type value;                                                                                      \
            memcpy(&value, from + i * sizeof value, sizeof value);                                           \
            to[i] = (int64_t)(base + value);                                                                 \
        }                                                                                                    \
    }
TYPED(u8, uint8_t)
TYPED(u16, uint16_t)
TYPED(u32, uint32_t)
TYPED(u64, uint64_t)

/* Other widths: each store writes 8 bytes; the next store overwrites the surplus. */
EACH void pack_odd(uint8_t *restrict to, const int64_t *restrict from, unsigned count, uint64_t base,
                   unsigned width)
{
    for (unsigned i = 0; i < count; i++) {
        uint64_t value = (uint64_t)from[i] - base;
        memcpy(to + (size_t)i * width, &value, sizeof value);
    }
}

EACH void unpack_odd(int64_t *restrict to, const uint8_t *restrict from, unsigned count, uint64_t base,
                     unsigned width)
{
    const uint64_t mask = UINT64_MAX >> (64 - 8 * width);
    for (unsigned i = 0; i < count; i++) {
        uint64_t value;
        memcpy(&value, from + (size_t)i * width, sizeof value);
        to[i] = (int64_t)(base + (value & mask));
    }
}

EACH void lower_line(int64_t *restrict to, const int64_t *restrict from, unsigned count, unsigned code)
{
    const uint32_t step = (code & 255) << (code >> 8);
    for (uint32_t i = 0; i < count; i++)
        to[i] = (int64_t)((uint64_t)from[i] - (step * i >> 4));
}

EACH void raise_line(int64_t *values, unsigned first, unsigned count, unsigned code)
{
    const uint32_t step = (code & 255) << (code >> 8);
    for (uint32_t i = 0; i < count; i++)
        values[i] = (int64_t)((uint64_t)values[i] + (step * (first + i) >> 4));
}

EACH void pack_any(uint8_t *to, const int64_t *from, unsigned count, uint64_t base, unsigned width)
{
    switch (width) {
    case 0:
        return;
    case 1:
        pack_u8(to, from, count, base);
        return;
    case 2:
        pack_u16(to, from, count, base);
        return;
    case 3:
        pack_odd(to, from, count, base, 3);
        return;
    case 4:
        pack_u32(to, from, count, base);
        return;
    case 5:
        pack_odd(to, from, count, base, 5);
        return;
    case 6:
        pack_odd(to, from, count, base, 6);
        return;
    case 7:
        pack_odd(to, from, count, base, 7);
        return;
    default:
        pack_u64(to, from, count, base);
        return;
    }
}

EACH void unpack_any(int64_t *to, const uint8_t *from, unsigned count, uint64_t base, unsigned width)
{
    switch (width) {
    case 0:
        for (unsigned i = 0; i < count; i++)
            to[i] = (int64_t)base;
        return;
    case 1:
        unpack_u8(to, from, count, base);
        return;
    case 2:
        unpack_u16(to, from, count, base);
        return;
    case 3:
        unpack_odd(to, from, count, base, 3);
        return;
    case 4:
        unpack_u32(to, from, count, base);
        return;
    case 5:
        unpack_odd(to, from, count, base, 5);
        return;
    case 6:
        unpack_odd(to, from, count, base, 6);
        return;
    case 7:
        unpack_odd(to, from, count, base, 7);
        return;
    default:
        unpack_u64(to, from, count, base);
        return;
    }
}

#ifdef __x86_64__
/* The loops compiled for processors with wider registers. AVX-512VL has the least and the greatest of 64-bit
 * integers, and stores the low bytes of integers, in one instruction. */
#define WIDER(name, features)                                                                                \
    __attribute__((target(features))) static void span_##name(const int64_t *values, unsigned count,         \
                                                              int64_t *least, int64_t *most)                 \
    {                                                                                                        \
        span(values, count, least, most);                                                                    \
    }                                                                                                        \
    __attribute__((target(features))) static void pack_##name(uint8_t *to, const int64_t *from,              \
                                                              unsigned count, uint64_t base, unsigned width) \
    {                                                                                                        \
        pack_any(to, from, count, base, width);                                                              \
    }                                                                                                        \
    __attribute__((target(features))) static void unpack_##name(                                             \
        int64_t *to, const uint8_t *from, unsigned count, uint64_t base, unsigned width)                     \
    {                                                                                                        \
        unpack_any(to, from, count, base, width);                                                            \
    }                                                                                                        \
    __attribute__((target(features))) static void lower_##name(int64_t *to, const int64_t *from,             \
                                                               unsigned count, unsigned code)                \
    {                                                                                                        \
        lower_line(to, from, count, code);                                                                   \
    }                                                                                                        \
    __attribute__((target(features))) static void raise_##name(int64_t *values, unsigned first,              \
                                                               unsigned count, unsigned code)                \
    {                                                                                                        \
        raise_line(values, first, count, code);                                                              \
    }
WIDER(avx2, "avx2")
WIDER(avx512, "avx2,avx512f,avx512bw,avx512vl")

#define WIDE(function, ...)                                                                                  \
    if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {                          \
        function##_avx512(__VA_ARGS__);                                                                      \
        return;                                                                                              \
    }                                                                                                        \
    if (__builtin_cpu_supports("avx2")) {                                                                    \
        function##_avx2(__VA_ARGS__);                                                                        \
        return;                                                                                              \
    }
#else
#define WIDE(function, ...)
#endif

void td_pack_span(const int64_t *values, unsigned count, int64_t *least, int64_t *most)
{
    WIDE(span, values, count, least, most)
    span(values, count, least, most);
}

void td_pack(uint8_t *to, const int64_t *from, unsigned count, int64_t base, unsigned width)
{
    WIDE(pack, to, from, count, (uint64_t)base, width)
    pack_any(to, from, count, (uint64_t)base, width);
}

void td_pack_expand(int64_t *to, const uint8_t *from, unsigned count, int64_t base, unsigned width)
{
    WIDE(unpack, to, from, count, (uint64_t)base, width)
    unpack_any(to, from, count, (uint64_t)base, width);
}

void td_pack_lower(int64_t *to, const int64_t *from, unsigned count, unsigned code)
{
    WIDE(lower, to, from, count, code)
    lower_line(to, from, count, code);
}

void td_pack_raise(int64_t *values, unsigned first, unsigned count, unsigned code)
{
    WIDE(raise, values, first, count, code)
    raise_line(values, first, count, code);
}

unsigned td_pack_step(uint64_t rise, unsigned count)
{
    unsigned exponent = 0;
    if (rise >> 59)
        return 0;
    uint64_t mantissa = (rise * 16 + (count - 1) / 2) / (count - 1);
    while (mantissa > 255) {
        mantissa = (mantissa + 1) / 2;
        exponent++;
    }
    return exponent <= 15 ? exponent << 8 | (unsigned)mantissa : 0;
}
