/* Searching tables that are sorted by a field. */
#ifndef TD_HOST_BASE_SORTED_H
#define TD_HOST_BASE_SORTED_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Sets `low` to the least number from `low` to `high` for which `is_before`, an expression of `at`, does not hold; it
 * holds for all numbers before that one. Both are variables. */
#define TD_BISECT(low, high, at, is_before)                                                                  \
    while ((low) < (high)) {                                                                                 \
        const __typeof__(low) at = (low) + ((high) - (low)) / 2;                                             \
        if (is_before)                                                                                       \
            (low) = at + 1;                                                                                  \
        else                                                                                                 \
            (high) = at;                                                                                     \
    }

/* The number of rows whose key, an unsigned 64-bit field, is at most `most`. The row that begins last at or
 * before an address is the one before that number. */
#define TD_SORTED_UP_TO(rows, count, key, most)                                                              \
    td_sorted_up_to_((rows), (count), sizeof *(rows), offsetof(__typeof__(*(rows)), key), (most))

static inline size_t td_sorted_up_to_(const void *rows, size_t count, size_t row_bytes, size_t key_at,
                                      uint64_t most)
{
    const char *keys = (const char *)rows + key_at;
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        uint64_t key;
        memcpy(&key, keys + middle * row_bytes, sizeof key);
        if (key <= most)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
#endif
