/* What an address of code says by itself, in programs and in traces. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Whether the address is in the kernel's half of the address space. */
static inline bool td_is_kernel_address(uint64_t address)
{
    return address >> 63;
}
