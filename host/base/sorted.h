/* Searching what is sorted. */
#pragma once
#include <stdbool.h>
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

/* The same, for numbers from `low` to before `end`, any expression, if the number is likely to be near `low`. */
#define TD_BISECT_NEAR(low, end, at, is_before)                                                              \
    for (uint64_t high_ = (end), step_ = 1, at;                                                              \
         low < high_ &&                                                                                      \
         (at = step_ && step_ <= high_ - low ? low + step_ - 1 : low + (high_ - low) / 2, true);)            \
        if (is_before)                                                                                       \
            low = at + 1, step_ *= 2;                                                                        \
        else                                                                                                 \
            high_ = at, step_ = 0

/* The number of rows whose key, an unsigned 64-bit field, is at most `most`. The row that begins last at or
 * before an address is the one before that number. */
#define TD_SORTED_UP_TO(rows, count, key, most)                                                              \
    td_sorted_up_to_((rows), (count), sizeof *(rows), offsetof(__typeof__(*(rows)), key), (most))

static inline size_t td_sorted_up_to_(const void *rows, size_t count, size_t row_bytes, size_t key_at,
                                      uint64_t most)
{
    const char *keys = (const char *)rows + key_at;
    size_t low = 0, high = count;
    uint64_t field;
    TD_BISECT(low, high, i, (memcpy(&field, keys + i * row_bytes, sizeof field), field <= most));
    return low;
}
