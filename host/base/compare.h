/* Comparisons for qsort() and bsearch(), each a list of keys, the most important one first:
 *
 * TD_COMPARE(by_start, struct item, TD_UP(start_ns) TD_DOWN(end_ns) TD_UP_TEXT(name))
 *
 * A key is a member of the type: rising, falling, or a text by its bytes. */
#pragma once
#include <string.h>

#define TD_UP(key)                                                                                           \
    if (x->key != y->key)                                                                                    \
        return x->key < y->key ? -1 : 1;
#define TD_DOWN(key)                                                                                         \
    if (x->key != y->key)                                                                                    \
        return x->key > y->key ? -1 : 1;
#define TD_UP_TEXT(key)                                                                                      \
    if (strcmp(x->key, y->key) != 0)                                                                         \
        return strcmp(x->key, y->key);

#define TD_COMPARE(name, type, keys)                                                                         \
    static int name(const void *left, const void *right)                                                     \
    {                                                                                                        \
        const type *x = left, *y = right;                                                                    \
        keys return 0;                                                                                       \
    }
/* The same for an array of pointers. */
#define TD_COMPARE_REFS(name, type, keys)                                                                    \
    static int name(const void *left, const void *right)                                                     \
    {                                                                                                        \
        const type *x = *(const type *const *)left, *y = *(const type *const *)right;                        \
        keys return 0;                                                                                       \
    }
/* For an array of numbers; one that is NaN is equal to all. */
#define TD_COMPARE_NUMBERS(name, type)                                                                       \
    static int name(const void *left, const void *right)                                                     \
    {                                                                                                        \
        const type x = *(const type *)left, y = *(const type *)right;                                        \
        return (x > y) - (x < y);                                                                            \
    }
