/* Which addresses of a simulated chip's tile are plain memory. In the others the vendor's simulator has
 * registers, which are accessed word by word. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* How much of an access may be made at once, at most `most`. */
static inline size_t td_plain_part(uint64_t address, size_t bytes, size_t most)
{
    const uint64_t registers = 0xFF000000, arc = 0x800000000; /* Wormhole's ARC tile has some from there on */
    const int is_plain = address < registers || (address > UINT32_MAX && address < arc);
    const size_t limit = is_plain ? most : 4 - address % 4;
    return bytes < limit ? bytes : limit;
}
