/* Numbers of 16 bits, compared by their bits; by tt-metal's path and names. C++. */
#ifndef TENDRIL_API_NUMERIC_BFLOAT16_H
#define TENDRIL_API_NUMERIC_BFLOAT16_H
#include <stdint.h>

inline constexpr uint16_t NEG_INF_BFLOAT16 = 0xff80, POS_INF_BFLOAT16 = 0x7f80, NAN_BFLOAT16 = 0x7fff;
inline constexpr uint16_t BFLOAT16_SIGN_MASK = 0x8000;

/* As tt-metal does it: zeros have an order, and so has what is no number. */
static constexpr bool bfloat16_greater(uint16_t a, uint16_t b)
{
    if ((a ^ b) & BFLOAT16_SIGN_MASK)
        return !(a & BFLOAT16_SIGN_MASK);
    return a & BFLOAT16_SIGN_MASK ? a < b : a > b;
}
#endif
