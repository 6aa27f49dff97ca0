/* Growing arrays. */
#pragma once
#include "host/base/err.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for `need` items of `item` bytes in *array (the address of a pointer). 0; TD_E_NOMEM: the
 * array is as it was. */
static inline int td_grow(void *array, size_t *capacity, size_t need, size_t item)
{
    if (need <= *capacity)
        return 0;
    size_t more = *capacity ? *capacity + *capacity / 2 : 8;
    if (more < need)
        more = need;
    if (more > SIZE_MAX / item)
        return TD_E_NOMEM;
    void *moved;
    memcpy(&moved, array, sizeof moved); /* not *(void **): the pointer has another type */
    /* cppcheck-suppress memleakOnRealloc ; the old array is still in *array */
    moved = realloc(moved, more * item);
    if (!moved)
        return TD_E_NOMEM;
    memcpy(array, &moved, sizeof moved);
    *capacity = more;
    return 0;
}

/* Appends a value, which may be a compound literal, to an array of `count` items with room for `room`. 0, or TD_E_NOMEM:
 * the value was not read. */
#define TD_APPEND(array, count, room, ...)                                                                   \
    (td_grow(&(array), &(room), (count) + 1, sizeof *(array)) < 0                                            \
         ? TD_E_NOMEM                                                                                        \
         : ((array)[count] = (__VA_ARGS__), (count)++, 0))
