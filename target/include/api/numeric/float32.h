/* Numbers of 32 bits, compared by their bits; by tt-metal's path and names. C++. */
#ifndef TENDRIL_API_NUMERIC_FLOAT32_H
#define TENDRIL_API_NUMERIC_FLOAT32_H
#include <stdint.h>

inline constexpr uint32_t NEG_INF_FLOAT32 = 0xff800000, POS_INF_FLOAT32 = 0x7f800000,
                          NAN_FLOAT32 = 0x7fffffff;
inline constexpr uint32_t FLOAT32_SIGN_MASK = 0x80000000, FLOAT32_EXPONENT_MASK = 0x7f800000;
inline constexpr uint32_t FLOAT32_MANTISSA_MASK = 0x007fffff, FLOAT32_MAGNITUDE_MASK = 0x7fffffff;

static constexpr bool float32_greater(uint32_t a, uint32_t b)
{
    const uint32_t size_a = a & FLOAT32_MAGNITUDE_MASK, size_b = b & FLOAT32_MAGNITUDE_MASK;
    if (size_a > POS_INF_FLOAT32 || size_b > POS_INF_FLOAT32 || (!size_a && !size_b))
        return false;
    if ((a ^ b) & FLOAT32_SIGN_MASK)
        return !(a & FLOAT32_SIGN_MASK);
    return a & FLOAT32_SIGN_MASK ? a < b : a > b;
}
#endif
