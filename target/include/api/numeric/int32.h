/* Integers of 32 bits, by tt-metal's path and names. C++. */
#ifndef TENDRIL_API_NUMERIC_INT32_H
#define TENDRIL_API_NUMERIC_INT32_H
#include <stdint.h>

inline constexpr int32_t NEG_INF_INT32 = INT32_MIN, POS_INF_INT32 = INT32_MAX;
inline constexpr uint32_t INT32_SIGN_MASK = 0x80000000;

static constexpr bool int32_greater(int32_t a, int32_t b)
{
    return a > b;
}
#endif
