/* A set of addresses that are multiples of 16, for all threads, without locks: a bit for each 16 bytes of the
 * address space, in parts of 64 MiB that are made when they are needed. A part takes memory only for what was
 * written. */
#pragma once
#include <stdbool.h>

/* False: no memory, an address that cannot be in the set, or it is in it. */
bool td_py_addresses_add(const void *address);
/* False: it is not in the set. */
bool td_py_addresses_remove(const void *address);
