/* The order in which stock programs list things that they keep in hash tables by number: source locations,
 * threads of a GPU context. Their tables are open, with a power of two of places and entries moved along so
 * that none is far from its own; listed is by place. What that place is follows from the numbers, the order
 * in which they came and the room that was made before, so it can be told without such a table's contents. */
#ifndef TD_HOST_TOOLS_SHARED_STOCK_ORDER_H
#define TD_HOST_TOOLS_SHARED_STOCK_ORDER_H
#include <stddef.h>
#include <stdint.h>

/* The order of keys that came in the order of the array (signed numbers: sign-extended), in a table with room
 * made for `room` keys at the beginning (0: none). order[0..] gets indices of `keys`; a key that came before
 * is left out. Returns how many there are, SIZE_MAX: no memory. */
size_t stock_order(const uint64_t *keys, size_t count, size_t room, size_t *order);
#endif
