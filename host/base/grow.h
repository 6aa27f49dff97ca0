/* Growing arrays: the one way in which host code makes room for one more. */
#ifndef TD_HOST_BASE_GROW_H
#define TD_HOST_BASE_GROW_H
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for `need` items of `item` bytes in *array (a pointer's address); 0 or -1 (no memory; all is as
 * before). */
static inline int td_grow(void *array, size_t *capacity, size_t need, size_t item)
{
    if (need <= *capacity)
        return 0;
    size_t more = *capacity ? *capacity + *capacity / 2 : 8;
    if (more < need)
        more = need;
    if (more > SIZE_MAX / item)
        return -1;
    void *moved;
    memcpy(&moved, array, sizeof moved); /* not *(void **): the pointer has another type */
    /* cppcheck-suppress memleakOnRealloc ; the old array is still in *array */
    moved = realloc(moved, more * item);
    if (!moved)
        return -1;
    memcpy(array, &moved, sizeof moved);
    *capacity = more;
    return 0;
}
#endif
