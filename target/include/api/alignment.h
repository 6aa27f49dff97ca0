/* Addresses and lengths, rounded up; by tt-metal's path and names. C++. */
#ifndef TENDRIL_API_ALIGNMENT_H
#define TENDRIL_API_ALIGNMENT_H
#include <stdint.h>

static constexpr uint32_t align(uint32_t address, uint32_t to)
{
    return (address + to - 1) / to * to;
}
static constexpr uint32_t align_power_of_2(uint32_t address, uint32_t to)
{
    return (address + to - 1) & ~(to - 1);
}
static constexpr bool is_power_of_2(uint32_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}
#endif
