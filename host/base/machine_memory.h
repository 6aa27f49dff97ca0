/* The size of this machine's memory. Thread-safe. */
#pragma once
#include <stdint.h>
#include <unistd.h>

#define TD_UNKNOWN_MEMORY_BYTES (UINT64_C(4) << 30)

/* In bytes. TD_UNKNOWN_MEMORY_BYTES if the process may not ask for it (seccomp). */
static inline uint64_t td_machine_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : TD_UNKNOWN_MEMORY_BYTES;
}
