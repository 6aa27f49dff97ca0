/* Products, quotients and remainders by a constant, by tt-metal's path and names: the compiler multiplies. */
#ifndef TENDRIL_MOD_DIV_LIB_H
#define TENDRIL_MOD_DIV_LIB_H
#include <cstdint>

static inline uint32_t mulsi3(uint32_t a, uint32_t b)
{
    return a * b;
}

template <uint32_t divisor> static inline uint32_t udivsi3_const_divisor(uint32_t n)
{
    return n / divisor;
}

template <uint32_t divisor> static inline uint32_t umodsi3_const_divisor(uint32_t n)
{
    return n % divisor;
}

#endif
