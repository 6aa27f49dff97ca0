/* Layout of the memory that ___tracy_alloc_srcloc() returns: source locations that a program makes at run
 * time. A record of a zone owns its block. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct td_srcloc_block {
    uint32_t bytes; /* of `data` */
    char data[];    /* as on the wire: colour, line (u32 each), function NUL file NUL name */
};
