/* The kernel's functions, from /proc/kallsyms. The table is filled by one thread, then thread-safe. */
#ifndef TD_HOST_PERF_KALLSYMS_H
#define TD_HOST_PERF_KALLSYMS_H
#include "host/perf/perf.h"

struct td_kallsyms;
struct td_kernel_function {
    const char *name, *module; /* module: "" for the kernel itself. Valid until td_kallsyms_destroy() */
    uint64_t address, bytes;
};
struct td_kallsyms *td_kallsyms_create(const struct td_perf_host *host); /* NULL: no memory */
void td_kallsyms_destroy(struct td_kallsyms *symbols);                   /* NULL is allowed */
/* Adds the functions of a piece of the file; pieces end anywhere. False: no memory. */
bool td_kallsyms_add(struct td_kallsyms *symbols, const char *text, size_t bytes);
void td_kallsyms_sort(struct td_kallsyms *symbols); /* after the last piece */
/* Reads /proc/kallsyms. NULL: it is unreadable, or has no addresses (kptr_restrict), or no memory. */
struct td_kallsyms *td_kallsyms_load(const struct td_perf_host *host);
size_t td_kallsyms_count(const struct td_kallsyms *symbols);
/* The function that contains the address. False: none does. */
bool td_kallsyms_find(const struct td_kallsyms *symbols, uint64_t address,
                      struct td_kernel_function *function);
/* Whether the address is in the kernel's half of the address space. */
static inline bool td_is_kernel_address(uint64_t address)
{
    return address >> 63;
}
#endif
