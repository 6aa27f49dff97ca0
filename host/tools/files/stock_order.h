/* The order in which Tracy's programs list entries of their hash tables (source locations, threads of a GPU
 * context). These tables have open addressing and a power of two of places; a new entry moves others along,
 * so that each stays near its own place. The programs list entries by place. The places follow from the keys,
 * the order in which these were inserted, and the room that was reserved. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Computes the order of keys that were inserted in the order of the array (signed numbers: sign-extended)
 * into a table with `room` keys reserved at first (0: none). order[] gets indices of `keys`, without those of
 * repeated keys; it needs room for `count`. Returns the number of indices; SIZE_MAX: out of memory. */
size_t stock_order(const uint64_t *keys, size_t count, size_t room, size_t *order);
