/* Which of sorted values a percentile is. */
#pragma once
#include <math.h>
#include <stdint.h>

/* The rank, from 0, of the least of `count` sorted values that the part `fraction` of them does not exceed: 0.5 is
 * the median. `count` is not 0. */
static inline uint64_t td_percentile_rank(uint64_t count, double fraction)
{
    const double rank = ceil(fraction * (double)count) - 1;
    const uint64_t number = rank > 0 ? (uint64_t)rank : 0;
    return number < count ? number : count - 1;
}
