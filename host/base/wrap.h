/* Sums and differences of numbers from untrusted files and peers: they wrap where plain arithmetic would be
 * undefined. */
#pragma once
#include <stdint.h>

static inline int64_t td_wrap_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}
static inline int64_t td_wrap_sub(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}
